import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, newProject, type Project } from "./world.ts";

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

test("what a command has compiled is kept for the next in the user's own folder, for nobody else to read or write", async () => {
  const { project, home } = projectAtHome();
  const first = await project.run("run", "look.yaml");
  expect(first.code, first.told).toBe(0);
  const files = kept(home);
  expect([...files.keys()].every((file) => file.startsWith(join(home, ".cache/tokenbook/")))).toBe(true);
  expect([...files.keys()].some((file) => file.includes("/run/cli.cjs"))).toBe(true);
  for (const file of files.keys()) expect(statSync(file).mode & 0o77, file).toBe(0);

  const second = await project.run("run", "look.yaml");
  expect(second.code, second.told).toBe(0);
  expect(kept(home)).toEqual(files);
});

test("a command that fails keeps nothing: it has not come by all that the next will need", async () => {
  const { project, home } = projectAtHome();
  const failed = await project.run("run", "not-there.yaml");
  expect(failed.code, failed.told).toBe(2);
  expect(kept(home).size).toBe(0);
});

test("damaged code is passed over and made anew", async () => {
  const { project, home } = projectAtHome();
  await project.run("run", "look.yaml");
  const files = [...kept(home).keys()];
  const whole = files.map((file) => statSync(file).size);
  for (const [at, file] of files.entries()) {
    if (at % 2 === 0) truncateSync(file, Math.floor(statSync(file).size / 2));
    else writeFileSync(file, Buffer.alloc(readFileSync(file).length, 0x5a));
  }
  const again = await project.run("run", "look.yaml");
  expect(again.code, again.told).toBe(0);
  expect(files.map((file) => statSync(file).size).every((size, at) => size > (whole[at] ?? 0) * 0.9)).toBe(true);
  const next = await project.run("run", "look.yaml");
  expect(next.code, next.told).toBe(0);
});

test("code that others may write to is passed over and made anew, for us alone", async () => {
  const { project, home } = projectAtHome();
  await project.run("run", "look.yaml");
  const files = [...kept(home).keys()];
  for (const file of files) chmodSync(file, 0o666);
  const again = await project.run("run", "look.yaml");
  expect(again.code, again.told).toBe(0);
  for (const file of files) expect(statSync(file).mode & 0o77, file).toBe(0);
});

test.each([
  ["a home that cannot be written to", (home: string) => chmodSync(home, 0o500), {}],
  ["no home", () => {}, { HOME: "" }],
  ["a file where the folder would be", (home: string) => writeFileSync(join(home, ".cache"), ""), {}],
  ["a wish to do without", () => {}, { NODE_DISABLE_COMPILE_CACHE: "1" }],
])("%s takes nothing from a run but time", async (_, prepare, variables) => {
  const { project, home } = projectAtHome();
  prepare(home);
  const ran = await project.as({ ...project.variables, ...variables }).run("run", "look.yaml");
  expect(ran.code, ran.told).toBe(0);
  expect(ran.stderr, ran.told).toBe("");
});
