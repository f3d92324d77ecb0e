import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, isBinary, newProject, type Project } from "./world.ts";

const CHECKED = "playbook: 1\nname: Nothing to do\nsteps:\n  - id: look\n    uses: ledger.status\n";

function projectAtHome(): { project: Project; home: string } {
  const project = newProject();
  const home = join(project.folder, "home");
  mkdirSync(home);
  project.write("look.yaml", CHECKED);
  return { project: project.as({ ...project.variables, HOME: home }), home };
}

function kept(home: string): ReadonlyMap<string, number> {
  return new Map(filesBelow(home).map((file) => [file, statSync(file).mtimeMs]));
}

test.skipIf(isBinary)("a command keeps its compiled code for the next one, in a folder that only the user can read", async () => {
  const { project, home } = projectAtHome();
  const first = await project.run("run", "look.yaml");
  expect(first.code, first.transcript).toBe(0);
  const files = kept(home);
  expect([...files.keys()].every((file) => file.startsWith(join(home, ".cache/tokenbook/")))).toBe(true);
  expect([...files.keys()].some((file) => file.includes("/run/cli.cjs"))).toBe(true);
  for (const file of files.keys()) expect(statSync(file).mode & 0o77, file).toBe(0);
  expect([...files.keys()].map((file) => file.replace(/^.*\/(\w+)-[^/]*$/, "$1"))).toContain("sandbox");

  const second = await project.run("run", "look.yaml");
  expect(second.code, second.transcript).toBe(0);
  expect(kept(home)).toEqual(files);
});

test("a command that fails keeps no compiled code, because it has not loaded everything that the next command needs", async () => {
  const { project, home } = projectAtHome();
  const failed = await project.run("run", "not-there.yaml");
  expect(failed.code, failed.transcript).toBe(2);
  expect(kept(home).size).toBe(0);
});

test("a command ignores damaged compiled code, and compiles it again", async () => {
  const { project, home } = projectAtHome();
  await project.run("run", "look.yaml");
  const files = [...kept(home).keys()];
  const whole = files.map((file) => statSync(file).size);
  for (const [at, file] of files.entries()) {
    if (at % 2 === 0) truncateSync(file, Math.floor(statSync(file).size / 2));
    else writeFileSync(file, Buffer.alloc(readFileSync(file).length, 0x5a));
  }
  const again = await project.run("run", "look.yaml");
  expect(again.code, again.transcript).toBe(0);
  // What is compiled again may lack functions that only the first command called, as it made the sandbox's tables.
  const damaged = files.filter(
    (file, at) => statSync(file).size < (whole[at] ?? 0) * 0.75 || readFileSync(file).every((byte) => byte === 0x5a),
  );
  expect(damaged).toEqual([]);
  const next = await project.run("run", "look.yaml");
  expect(next.code, next.transcript).toBe(0);
});

test("a command ignores compiled code that others may write to, and compiles it again for its user alone", async () => {
  const { project, home } = projectAtHome();
  await project.run("run", "look.yaml");
  const files = [...kept(home).keys()];
  for (const file of files) chmodSync(file, 0o666);
  const again = await project.run("run", "look.yaml");
  expect(again.code, again.transcript).toBe(0);
  for (const file of files) expect(statSync(file).mode & 0o77, file).toBe(0);
});

test.each([
  ["a home that cannot be written to", (home: string) => chmodSync(home, 0o500), {}],
  ["no home", () => {}, { HOME: "" }],
  ["a file where the folder would be", (home: string) => writeFileSync(join(home, ".cache"), ""), {}],
  ["a wish to do without", () => {}, { NODE_DISABLE_COMPILE_CACHE: "1" }],
])("a run without kept code works the same: %s", async (_, prepare, variables) => {
  const { project, home } = projectAtHome();
  prepare(home);
  const ran = await project.as({ ...project.variables, ...variables }).run("run", "look.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  expect(ran.stderr, ran.transcript).toBe("");
});

const OURS = "0123456789abcdef-";

test("a folder of kept code that is a link is neither written to nor cleared", async () => {
  const { project, home } = projectAtHome();
  const victim = join(project.folder, "victim");
  // More folders than tokenbook keeps. Half of them have names of tokenbook's own form.
  for (let at = 0; at < 30; at++) mkdirSync(join(victim, at % 2 === 0 ? `${OURS}${at}` : `photos ${at}`), { recursive: true });
  const before = readdirSync(victim);
  mkdirSync(join(home, ".cache"));
  symlinkSync(victim, join(home, ".cache/tokenbook"));
  const ran = await project.run("run", "look.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  expect(readdirSync(victim)).toEqual(before);
});

test("only old folders of tokenbook are removed from the folder of kept code", async () => {
  const { project, home } = projectAtHome();
  const folder = join(home, ".cache/tokenbook");
  const elsewhere = join(project.folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "photo"), "");
  for (let at = 0; at < 16; at++) mkdirSync(join(folder, `${OURS}${at}`), { recursive: true });
  for (let at = 0; at < 12; at++) mkdirSync(join(folder, `photos ${at}`), { recursive: true });
  symlinkSync(elsewhere, join(folder, `${OURS}99`));
  const ran = await project.run("run", "look.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  const left = readdirSync(folder);
  expect(left.filter((name) => name.startsWith("photos"))).toHaveLength(12);
  expect(left.filter((name) => /^[0-9a-f]{16}-\d+$/.test(name) && name !== `${OURS}99`)).toHaveLength(4);
  expect(left).toContain(`${OURS}99`);
  expect(readdirSync(elsewhere)).toEqual(["photo"]);
});

test.for([
  ["another user may write", (folder: string) => chmodSync(folder, 0o777), true],
  ["another user owns", (folder: string) => chownSync(folder, 65_534, 65_534), process.geteuid?.() === 0],
] as const)("a folder of kept code that %s is not used", async ([, open, isPossible], { skip }) => {
  if (!isPossible) skip("only root can give a folder to another user");
  const { project, home } = projectAtHome();
  const folder = join(home, ".cache/tokenbook");
  mkdirSync(folder, { recursive: true });
  open(folder);
  const ran = await project.run("run", "look.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  expect(filesBelow(folder)).toEqual([]);
});
