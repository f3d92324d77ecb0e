// A playbook acts in the project that contains it, whichever folder you run it from.
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentAt, KEYS, MINT_ONCE, newProject, servedSandbox } from "./world.ts";

const LOOK = "playbook: 1\nname: Look\nmode: read-only\nsteps: [{ uses: ledger.asset.stats }]\n";
const FAILS = `playbook: 1
name: Fails
mode: read-only
steps:
  - { id: look, uses: ledger.asset.stats, expect: [1 + 1 == 3] }
`;
const CREATES = `playbook: 1
name: Creates
actors: { alice: { ledger: "userId:alice" } }
defaults: { as: alice }
steps:
  - id: token
    uses: ledger.token.create
    with:
      name: Elsewhere
      symbol: ELS
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100.00", transferable: true, burnable: true }
`;

test("a playbook that is run from another folder uses the tokenbook.yaml beside it, and keeps its run there", async () => {
  const service = await servedSandbox();
  const outer = newProject({});
  outer.write("nightly/tokenbook.yaml", environmentAt(service.url));
  outer.write(
    "nightly/.env",
    Object.entries(KEYS)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  outer.write("nightly/playbooks/creates.yaml", CREATES);
  const ran = await outer.run("run", "nightly/playbooks/creates.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  expect(ran.stdout).toContain("environment here ");
  expect(ran.stdout).not.toContain("embedded sandbox");
  expect(await service.commits()).toHaveLength(1);
  expect([existsSync(join(outer.folder, ".tokenbook")), existsSync(join(outer.folder, "nightly/.tokenbook"))]).toEqual([
    false,
    true,
  ]);
});

test("a printed command finds the run from the folder in which the user types it", async () => {
  const service = await servedSandbox();
  const outer = newProject();
  outer.write("nightly/tokenbook.yaml", environmentAt(service.url));
  outer.write("nightly/fails.yaml", FAILS);
  const ran = await outer.run("run", "nightly/fails.yaml");
  expect(ran.code, ran.transcript).toBe(1);
  const [, command] = /to continue: tokenbook (.*)/.exec(ran.stdout) ?? [];
  expect(command, ran.transcript).toMatch(/^resume \S+ --state nightly\/\.tokenbook$|^resume --state nightly\/\.tokenbook \S+$/);
  outer.write("nightly/fails.yaml", FAILS.replace("== 3", "== 2"));
  const resumed = await outer.run(...(command ?? "").split(" "));
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout).toContain("environment here ");
});

test("resume from another folder than the run began in prints the command that resumes it", async () => {
  const service = await servedSandbox();
  const outer = newProject();
  outer.write("nightly/tokenbook.yaml", environmentAt(service.url));
  outer.write("nightly/fails.yaml", FAILS);
  await outer.run("run", "nightly/fails.yaml");
  outer.write("nightly/fails.yaml", FAILS.replace("== 3", "== 2"));
  const elsewhere = await outer.within("nightly").run("resume");
  expect(elsewhere.code, elsewhere.transcript).toBe(2);
  const [, folder, command] = /next: cd (\S+) && tokenbook (.*)/.exec(elsewhere.stderr) ?? [];
  expect(folder, elsewhere.transcript).toBe("..");
  const resumed = await outer.run(...(command ?? "").split(" "));
  expect(resumed.code, resumed.transcript).toBe(0);
});

test("no run begins when tokenbook.yaml was moved to a parent folder without its runs", async () => {
  const service = await servedSandbox();
  const outer = newProject();
  outer.write("nightly/tokenbook.yaml", environmentAt(service.url));
  outer.write("nightly/mint.yaml", MINT_ONCE);
  const killed = await outer
    .as({ ...outer.variables, TOKENBOOK_FAILPOINT: "before:attempt.answered@mint" })
    .run("run", "nightly/mint.yaml");
  expect(killed.code, killed.transcript).not.toBe(0);
  const before = await service.commits();
  renameSync(join(outer.folder, "nightly/tokenbook.yaml"), join(outer.folder, "tokenbook.yaml"));
  for (const [project, command] of [
    [outer, ["run", "nightly/mint.yaml"]],
    [outer.within("nightly"), ["run", "mint.yaml"]],
    [outer, ["schedule", "--once", "nightly/mint.yaml"]],
  ] as const) {
    const refused = await project.run(...command);
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("error state.left-behind")]);
  }
  expect(await service.commits()).toEqual(before);
  const { stderr } = await outer.run("run", "nightly/mint.yaml");
  expect(stderr).toContain("  mv nightly/.tokenbook .tokenbook\n");
  renameSync(join(outer.folder, "nightly/.tokenbook"), join(outer.folder, ".tokenbook"));
  const known = await outer.run("run", "nightly/mint.yaml");
  expect([known.code, known.stderr], known.transcript).toEqual([
    6,
    expect.stringContaining("an earlier run of this playbook, left"),
  ]);
});

test("a link to a playbook acts in the project of the file that it leads to", async () => {
  const service = await servedSandbox();
  const outer = newProject();
  outer.write("nightly/tokenbook.yaml", environmentAt(service.url));
  outer.write("nightly/look.yaml", LOOK);
  outer.write("other/tokenbook.yaml", environmentAt("http://127.0.0.1:1"));
  mkdirSync(join(outer.folder, "links"));
  symlinkSync("../nightly/look.yaml", join(outer.folder, "links/look.yaml"));
  symlinkSync("../nightly/look.yaml", join(outer.folder, "other/look.yaml"));
  for (const link of ["links/look.yaml", "other/look.yaml"]) {
    const ran = await outer.run("run", link);
    expect(ran.code, ran.transcript).toBe(0);
    expect(ran.stdout).toContain("environment here ");
  }
});

test.each([["run"], ["plan"], ["schedule", "--once"], ["test", "--crash-everywhere"]])(
  "playbooks of two projects in one command are refused, and both are named: %s %s",
  async (...command) => {
    const outer = newProject();
    for (const name of ["a", "b"]) {
      outer.write(`${name}/tokenbook.yaml`, environmentAt("http://127.0.0.1:1"));
      outer.write(`${name}/look.yaml`, LOOK);
    }
    const ran = await outer.run(...command, ".");
    expect(ran.code, ran.transcript).toBe(2);
    expect(ran.stderr).toContain("error project.several");
    expect(ran.stderr).toContain("a/look.yaml belongs to a/tokenbook.yaml, and b/look.yaml belongs to b/tokenbook.yaml");
    const checked = await outer.run("check", ".");
    expect(checked.code, checked.transcript).toBe(0);
  },
);

test("a playbook of no project, and one that comes with the tool, act in the project of the working directory", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  const loose = newProject();
  loose.write("look.yaml", LOOK);
  const ran = await project.run("run", join(loose.folder, "look.yaml"));
  expect(ran.code, ran.transcript).toBe(0);
  expect(ran.stdout).toContain("environment here ");
  const shipped = await project.run(
    "plan",
    "tokenbook/create-token.yaml",
    "--input",
    "name=Gold",
    "--input",
    "symbol=GLD",
    "--input",
    "id=gold",
    "--input",
    "issuer=userId:alice",
  );
  expect(shipped.stdout, shipped.transcript).toContain("environment here");
});

test("a run on the embedded sandbox names it at its start, at its end and in its reports", async () => {
  const project = newProject();
  project.write("look.yaml", LOOK);
  const ran = await project.run("run", "look.yaml", "--report", "md=report.md", "--report", "html=report.html");
  expect(ran.code, ran.transcript).toBe(0);
  expect(ran.lines[0]).toContain("environment sandbox (embedded sandbox, no real service)");
  expect(ran.lines.at(-1)).toContain("on the embedded sandbox");
  for (const report of ["report.md", "report.html"])
    expect(project.read(report)).toContain("sandbox (embedded sandbox, no real service)");
  const planned = await project.run("plan", "look.yaml");
  expect(planned.lines[0], planned.transcript).toContain("embedded sandbox, no real service");
});

test.each([["run"], ["plan"], ["schedule", "--once"], ["doctor"]])(
  "in CI the embedded sandbox is used only when --env names it: %s %s",
  async (...command) => {
    const project = newProject({ CI: "true" });
    project.write("look.yaml", LOOK);
    const files = command[0] === "doctor" ? [] : ["look.yaml"];
    const refused = await project.run(...command, ...files);
    expect(refused.code, refused.transcript).toBe(2);
    expect(refused.stderr).toContain("error environment.none");
    expect(refused.stderr).toContain("--env sandbox");
    const meant = await project.run(...command, ...files, "--env", "sandbox");
    expect(meant.code, meant.transcript).toBe(0);
    const elsewhere = await project.as({ CI: "false" }).run(...command, ...files);
    expect(elsewhere.code, elsewhere.transcript).toBe(0);
  },
);

test("in CI a tokenbook.yaml that names the embedded sandbox is enough to use it", async () => {
  const project = newProject({ CI: "true" });
  expect((await project.run("new", "project", "fresh")).code).toBe(0);
  const ran = await project.run("run", "fresh/playbooks/first.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  expect(existsSync(join(project.folder, "fresh/.tokenbook/journal.db"))).toBe(true);
});

test("a run of the sandbox resumes where it began, although its playbook has a tokenbook.yaml now", async () => {
  const project = newProject();
  project.write("nightly/fails.yaml", FAILS);
  expect((await project.run("run", "nightly/fails.yaml")).code).toBe(1);
  project.write("nightly/tokenbook.yaml", environmentAt("http://127.0.0.1:1"));
  project.write("nightly/fails.yaml", FAILS.replace("== 3", "== 2"));
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
});
