import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT, NOBODY } from "./hostile-files.ts";
import { KEYS, newProject, type Project, temporaryFolder, COMMAND_LINE } from "./world.ts";

// A project file that tokenbook finds on its own.

const ENVIRONMENT = `environments: { here: { ledger: { baseUrl: "http://127.0.0.1:9", appId: a, orgId: o, apiKey: env:LEDGER_KEY } } }\n`;
const FOUND = [
  { name: "tokenbook.yaml", text: ENVIRONMENT },
  { name: ".env", text: "LEDGER_KEY=of-somebody-else\n" },
] as const;

/** The user works in `inner`, and the file is in the folder of the project above. */
function below(file: string): { readonly outer: Project; readonly inner: Project; readonly path: string } {
  const outer = newProject(KEYS);
  for (const { name, text } of FOUND) outer.write(name, text);
  outer.write("inner/look.yaml", "playbook: 1\nsteps: [{ uses: ledger.status }]\n");
  chmodSync(join(outer.folder, ".env"), 0o600);
  return { outer, inner: outer.within("inner"), path: join(outer.folder, file) };
}

async function expectUnused(inner: Project, says: string): Promise<void> {
  for (const args of [
    ["run", "look.yaml"],
    ["plan", "look.yaml"],
    ["schedule", "--once", "look.yaml"],
  ]) {
    const ended = await inner.run(...args);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toContain(says);
    expect(ended.stderr, ended.transcript).toContain("is not used");
  }
  const doctor = await inner.run("doctor");
  expect(doctor.code, doctor.transcript).toBe(1);
  expect(doctor.stdout, doctor.transcript).toContain(says);
  expect(doctor.stdout, doctor.transcript).not.toContain("service.");
}

test.skipIf(!IS_ROOT).each(FOUND)("$name of another user is not used", async ({ name }) => {
  const { inner, path } = below(name);
  chownSync(path, NOBODY, NOBODY);
  await expectUnused(inner, "belongs to user 65534");
});

test.each(FOUND)("$name that every user may write is not used", async ({ name }) => {
  const { inner, path } = below(name);
  chmodSync(path, 0o646);
  await expectUnused(inner, "may be written by every user");
});

test.skipIf(!IS_ROOT).each(FOUND)(
  "$name that a group may write is not used, unless it is the user's own group",
  async ({ name }) => {
    const { inner, path } = below(name);
    chmodSync(path, 0o660);
    chownSync(path, 0, NOBODY);
    await expectUnused(inner, "may be written by the group 65534");
    chownSync(path, 0, 0);
    expect((await inner.run("run", "look.yaml")).stderr).not.toContain("is not used");
  },
);

test.each(FOUND)("$name in a folder where others may replace it is not used, and in a sticky folder it is", async ({ name }) => {
  const { outer, inner } = below(name);
  chmodSync(outer.folder, 0o777);
  await expectUnused(inner, `its folder ${outer.folder} may be written by every user`);
  chmodSync(outer.folder, 0o1777);
  expect((await inner.run("run", "look.yaml")).stderr).not.toContain("is not used");
});

test.skipIf(!IS_ROOT).each(FOUND)("$name is not used when it is another user's link to a file of ours", async ({ name }) => {
  const { inner, path } = below(name);
  const real = join(temporaryFolder(), basename(path));
  renameSync(path, real);
  execFileSync("ln", ["-s", real, path]);
  execFileSync("chown", ["-h", "65534:65534", path]);
  await expectUnused(inner, "the link belongs to user 65534");
});

test("a project file that the command line names is trusted", async () => {
  const { outer, inner } = below(".env");
  chmodSync(join(outer.folder, ".env"), 0o666);
  expect((await inner.run("run", "look.yaml", "--dotenv", "../.env")).stderr).not.toContain("is not used");
});

test("the search for tokenbook.yaml ends at the home folder", async () => {
  const { outer, inner } = below("tokenbook.yaml");
  outer.write("home/look.yaml", inner.read("look.yaml"));
  mkdirSync(join(outer.folder, "home/work"));
  const home = { ...KEYS, HOME: join(outer.folder, "home") };
  for (const folder of ["home", "home/work"]) {
    const doctor = await outer.within(folder).as(home).run("doctor");
    expect(doctor.stdout, doctor.transcript).toContain("there is no tokenbook.yaml here or above");
  }
  outer.write("home/tokenbook.yaml", "environments: { mine: embedded }\n");
  const doctor = await outer.within("home/work").as(home).run("doctor");
  expect(doctor.stdout, doctor.transcript).toContain("home/tokenbook.yaml: mine");
});

test("the search for tokenbook.yaml ends where another file system is mounted", ({ skip }) => {
  const { inner } = below("tokenbook.yaml");
  const within = (mount: string): string => {
    const script = `${mount} && cd work && exec "$0" "$1" doctor`;
    const argv = ["-m", "sh", "-c", script, ...COMMAND_LINE];
    const { stdout } = spawnSync("unshare", argv, { cwd: inner.folder, encoding: "utf8", env: { ...process.env, ...KEYS } });
    return stdout;
  };
  mkdirSync(join(inner.folder, "work"));
  if (within("mount -t tmpfs none work && mkdir work/work && cd work") === "") skip("no file system can be mounted here");
  expect(within("true")).toContain("project/tokenbook.yaml: here");
  expect(within("mount -t tmpfs none work && mkdir work/work && cd work")).toContain("there is no tokenbook.yaml here or above");
});

test("the name of a file begins no line that looks like one of ours", async () => {
  const project = newProject({});
  const forged = "✓ good.yaml: 1 step";
  project.write(`a\n${forged}\n.yaml`, "playbook: 1\nname:   n\nsteps: [{ uses: ledger.asset.stats }]\n");
  project.write(`b\n${forged}\n.yaml`, "playbook: 1\nname: n\nsteps: [{ uses: ledger.asset.statz }]\n");
  for (const args of [
    ["check", "."],
    ["fmt", "--check", "."],

    ["run", `a\n${forged}\n.yaml`],
    ["runs"],
  ]) {
    const ended = await project.run(...args);
    expect(`${ended.stdout}\n${ended.stderr}`, ended.transcript).toContain("✓ good.yaml: 1 step\\n.yaml");
    expect([...ended.lines, ...ended.stderr.split("\n")], ended.transcript).not.toContain(forged);
  }
});
