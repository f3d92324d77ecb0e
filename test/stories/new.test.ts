import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, KEYS, newProject } from "./world.ts";

test("a new project is checked, formatted and run as it comes, again and again", async () => {
  const project = newProject({});
  const created = await project.run("new", "project", "my ledger");
  expect(created.code, created.transcript).toBe(0);
  expect(created.lines.toSorted()).toEqual([
    "my ledger/.gitignore",
    "my ledger/README.md",
    "my ledger/playbooks/first.yaml",
    "my ledger/tokenbook.yaml",
  ]);
  const inside = project.within("my ledger");
  expect(created.stderr, created.transcript).toContain("next: cd 'my ledger' && tokenbook run playbooks/first.yaml");
  for (const command of [
    ["check", "."],
    ["fmt", "--check", "."],
    ["run", "playbooks/first.yaml"],
    ["run", "playbooks"],
  ]) {
    const ended = await inside.run(...command);
    expect(ended.code, ended.transcript).toBe(0);
  }
  const ignored = inside.read(".gitignore").split("\n");
  expect(ignored).toEqual(expect.arrayContaining([".tokenbook/", ".env"]));
  expect(filesBelow(inside.folder).filter((file) => file.endsWith(".db"))).toEqual(
    expect.arrayContaining([join(inside.folder, ".tokenbook/journal.db"), join(inside.folder, ".tokenbook/sandbox.db")]),
  );
});

test("the commands of the new README work as they are written", async () => {
  const project = newProject(KEYS);
  await project.run("new", "project", ".");
  const commands = [...project.read("README.md").matchAll(/^tokenbook ([^#\n]*?)(?: +#.*)?$/gm)].map(([, words = ""]) => words);
  expect(commands.length).toBeGreaterThan(6);
  for (const words of commands) {
    const ended = await project.run(...words.split(" "));
    expect(ended.code, ended.transcript).toBe(0);
  }
});

test("the staging example works as an environment once its lines are no comments", async () => {
  const project = newProject({});
  await project.run("new", "project", ".");
  const lines = project.read("tokenbook.yaml").split("\n");
  const from = lines.findIndex((line) => line.includes("# staging:"));
  expect(from).toBeGreaterThan(0);
  project.write("tokenbook.yaml", lines.map((line, at) => (at < from ? line : line.replace("# ", ""))).join("\n"));
  const formatted = await project.run("fmt", "--check", "tokenbook.yaml");
  expect(formatted.code, formatted.transcript).toBe(0);
  const run = await project.run("run", "playbooks/first.yaml", "--env", "staging");
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr, run.transcript).toContain("the environment variable LEDGER_KEY is not set");
});

test("new writes nothing if one of its files exists", async () => {
  const project = newProject();
  project.write("README.md", "mine\n");
  const { code, stdout, stderr, transcript } = await project.run("new", "project", ".");
  expect(code, transcript).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain("README.md exists already");
  expect(filesBelow(project.folder)).toEqual([join(project.folder, "README.md")]);
  expect(project.read("README.md")).toBe("mine\n");

  project.write("a.yaml", "mine\n");
  const again = await project.run("new", "playbook", "a.yaml", "--uses", "ledger.status");
  expect(again.code, again.transcript).toBe(2);
  expect(again.stderr).toContain("a.yaml exists already");
  expect(project.read("a.yaml")).toBe("mine\n");
});

test("a new playbook passes its check and runs on the sandbox", async () => {
  const project = newProject();
  const uses = ["ledger.token.create", "ledger.token.mint", "ledger.token.get", "investor.sales.list"].flatMap((name) => [
    "--uses",
    name,
  ]);
  const created = await project.run("new", "playbook", "deeper/mint-some.yaml", ...uses);
  expect(created.code, created.transcript).toBe(0);
  expect(created.stdout).toBe("deeper/mint-some.yaml\n");
  expect(project.read("deeper/mint-some.yaml")).toContain("name: Mint some\n");
  for (const command of [
    ["check", "deeper"],
    ["fmt", "--check", "deeper"],
    ["run", "deeper/mint-some.yaml"],
  ]) {
    const ended = await project.run(...command);
    expect(ended.code, ended.transcript).toBe(0);
  }
});

test.for<[string, string[], string]>([
  ["a misspelt operation", ["a.yaml", "--uses", "ledger.token.mnt"], "next: tokenbook operations ledger.token.mint"],
  ["no operation", ["a.yaml"], "next: tokenbook new playbook a.yaml --uses"],
  ["a name that no folder is searched for", ["a b", "--uses", "ledger.status"], "next: tokenbook new playbook 'a b.yaml'"],
])("%s writes nothing and says what to do", async ([, args, says]) => {
  const project = newProject();
  const { code, stderr, transcript } = await project.run("new", "playbook", ...args);
  expect(code, transcript).toBe(2);
  expect(stderr, transcript).toContain(says);
  expect(filesBelow(project.folder)).toEqual([]);
});
