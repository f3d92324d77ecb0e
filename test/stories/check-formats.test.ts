import { join } from "node:path";
import type { Log } from "sarif";
import { expect, test } from "vitest";
import { KEYS, newProject, type Project } from "./world.ts";

const WRONG = "playbook: 1\nsteps:\n  - uses: ledger.token.mnt\n";
const RIGHT = "playbook: 1\nsteps:\n  - uses: ledger.status\n";

function projectWith(variables: Record<string, string> = KEYS): Project {
  const project = newProject(variables, "a project, with spaces");
  project.write("my playbooks/wrong one.yaml", WRONG);
  project.write("my playbooks/right.yaml", RIGHT);
  return project;
}

test("check --format github annotates the wrong line, with a path from the root of the checkout", async () => {
  const here = projectWith();
  const plain = await here.run("check", "my playbooks", "--format", "github");
  expect(plain.code, plain.transcript).toBe(2);
  expect(plain.lines).toEqual([
    '::error file=my playbooks/wrong one.yaml,line=3,endLine=3,col=11,endColumn=27,title=playbook.unknown-operation::there is no operation called "ledger.token.mnt"%0Afix: did you mean "ledger.token.mint"?',
  ]);
  expect(plain.stderr).toContain("1 playbook of 2 cannot be run");
});

test("a step in a folder of the checkout still annotates the file of the repository", async () => {
  const project = newProject({ ...KEYS, GITHUB_WORKSPACE: "/" });
  project.write("wrong.yaml", WRONG);
  const { lines, transcript } = await project.run("check", "wrong.yaml", "--format", "github");
  expect(lines[0], transcript).toContain(`::error file=${join(project.folder, "wrong.yaml").slice(1)},`);
});

test("check --format sarif lists every file, also the ones without a mistake", async () => {
  const { stdout, code, transcript } = await projectWith().run("check", "my playbooks", "--format", "sarif");
  expect(code, transcript).toBe(2);
  const [run] = (JSON.parse(stdout) as Log).runs;
  expect(run?.artifacts?.map(({ location }) => location?.uri)).toEqual([
    "my%20playbooks/right.yaml",
    "my%20playbooks/wrong%20one.yaml",
  ]);
  expect(run?.results?.map(({ ruleId, locations }) => [ruleId, locations?.[0]?.physicalLocation?.artifactLocation?.uri])).toEqual(
    [["playbook.unknown-operation", "my%20playbooks/wrong%20one.yaml"]],
  );
});

test("a mistake in a playbook that others include is reported once, at its own file", async () => {
  const project = newProject(KEYS);
  for (const name of ["a", "b"]) project.write(`${name}.yaml`, "playbook: 1\nsteps: [{ id: x, uses: ./shared.yaml }]\n");
  project.write("shared.yaml", WRONG);
  const code = "playbook.unknown-operation";
  const text = await project.run("check", ".");
  expect(text.stdout.split(code), text.transcript).toHaveLength(2);
  expect((await project.run("check", ".", "--format", "github")).stdout.split(code)).toHaveLength(2);
  expect((await project.run("run", "a.yaml", "b.yaml")).stderr.split(code)).toHaveLength(2);
  const [run] = (JSON.parse((await project.run("check", "a.yaml", "b.yaml", "--format", "sarif")).stdout) as Log).runs;
  const found = run?.results?.filter(({ ruleId }) => ruleId === code) ?? [];
  const at = found[0]?.locations?.[0]?.physicalLocation?.artifactLocation;
  expect([found.length, at?.uri, run?.artifacts?.[at?.index ?? -1]?.location?.uri]).toEqual([1, "shared.yaml", "shared.yaml"]);
});

test("--json means --format json, and check ends a correct playbook with 0 in every format", async () => {
  const project = projectWith();
  const [short, long] = [
    await project.run("check", "my playbooks", "--json"),
    await project.run("check", "my playbooks", "--format", "json"),
  ];
  expect(short.stdout, short.transcript).toBe(long.stdout);
  expect(short.code).toBe(2);
  for (const format of ["text", "json", "github", "sarif"]) {
    const { code, transcript } = await project.run("check", "my playbooks/right.yaml", "--format", format);
    expect(code, transcript).toBe(0);
  }
});

test("check reports a warning at its level in every format, and the playbook can run", async () => {
  const project = projectWith();
  project.write("idle.yaml", `${RIGHT}    if: false\n`);
  for (const [format, level] of [
    ["text", "idle.yaml:4:9 warning playbook.never-done"],
    ["json", '"severity": "warning"'],
    ["github", "::warning file=idle.yaml,line=4"],
    ["sarif", '"level": "warning"'],
  ] as const) {
    const { code, stdout, transcript } = await project.run("check", "idle.yaml", "--format", format);
    expect(code, transcript).toBe(0);
    expect(stdout.replaceAll(/":"/g, '": "')).toContain(level);
  }
  const run = await project.run("run", "idle.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(run.stderr).toContain("warning playbook.never-done");
});

test("check leaves out the files of a folder that are no playbooks", async () => {
  const project = projectWith();
  project.serviceAt("https://ledger.example.com");
  project.write(".ci/pipeline.yaml", "jobs: 1\n");
  project.write("node_modules/x/y.yaml", "x: 1\n");
  const { stdout, transcript } = await project.run("check", ".", "--format", "json");
  expect(
    (JSON.parse(stdout) as { files: { file: string }[] }).files.map(({ file }) => file),
    transcript,
  ).toEqual(["my playbooks/right.yaml", "my playbooks/wrong one.yaml"]);
});

test("every finding names the command that explains it, and this command prints the explanation", async () => {
  const project = projectWith();
  const checked = await project.run("check", "my playbooks");
  const command = /tokenbook (check --explain [a-z.-]+)/.exec(checked.stdout)?.[1] ?? "";
  const explained = await project.run(...command.split(" "));
  expect(explained.code, explained.transcript).toBe(0);
  expect(explained.stdout).toMatch(
    /^error playbook\.unknown-operation: [\s\S]*\nExample:\n[\s\S]*ledger\.token\.mnt[\s\S]*\nFix:\n/,
  );
  const run = await project.run("run", "my playbooks/wrong one.yaml");
  expect(run.stderr, run.transcript).toContain("next: tokenbook check --explain playbook.unknown-operation");
});

test("check --explain suggests the nearest code for an unknown one, and `all` lists the codes", async () => {
  const project = projectWith();
  const missing = await project.run("check", "--explain", "unknown-operation");
  expect(missing.code, missing.transcript).toBe(2);
  expect(missing.stderr).toContain("next: tokenbook check --explain playbook.unknown-operation");
  const all = await project.run("check", "--explain", "all");
  expect(all.lines.length, all.transcript).toBeGreaterThan(40);
  const { code, stdout } = await project.run("check", "--explain", "source.alias", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ format: 1, codes: [{ code: "source.alias", severity: "error" }] });
});

test("check without a file prints its usage", async () => {
  const { code, stderr, transcript } = await projectWith().run("check");
  expect(code, transcript).toBe(2);
  expect(stderr).toContain("\n  tokenbook check FILE…\n");
});
