import { chmodSync, readdirSync, readFileSync, symlinkSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launch, newProject, ROOT, COMMAND, IN_SHELL } from "./world.ts";

const UNTIDY = `# A look.
playbook:   1
steps:
- uses:   ledger.status   # is it there?
  id: there


- {uses: ledger.asset.stats, id: stats}
`;

const TIDY = `# A look.
playbook: 1
steps:
  - id: there
    uses: ledger.status # is it there?

  - { id: stats, uses: ledger.asset.stats }
`;

const ENVIRONMENT =
  'environments:\n    here:\n        investor: {baseUrl: "https://store.example.com", credentials: {KEY: env:KEY}} # ours\n';

test("a folder is formatted: playbooks and tokenbook.yaml, nothing else", async () => {
  const project = newProject();
  project.write("playbooks/one two.yaml", UNTIDY);
  project.write("playbooks/quoted.YML", UNTIDY.replace("playbook", '"playbook"'));
  project.write("playbooks/tidy.yaml", TIDY);
  project.write("playbooks/holders.yaml", "a:    1\n");
  project.write("tokenbook.yaml", ENVIRONMENT);
  const checked = await project.run("fmt", "--check", ".");
  expect(checked.code, checked.transcript).toBe(1);
  expect(checked.lines).toEqual(["playbooks/one two.yaml", "playbooks/quoted.YML", "tokenbook.yaml"]);
  expect(project.read("playbooks/one two.yaml")).toBe(UNTIDY);

  const done = await project.run("fmt", ".");
  expect(done.code, done.transcript).toBe(0);
  expect(done.stderr).toContain("3 of 4 files changed");
  expect(project.read("playbooks/one two.yaml")).toBe(TIDY);
  expect(project.read("playbooks/holders.yaml")).toBe("a:    1\n");
  expect(project.read("tokenbook.yaml")).toBe(
    'environments:\n  here:\n    investor: { baseUrl: "https://store.example.com", credentials: { KEY: env:KEY } } # ours\n',
  );
  const again = await project.run("fmt", "--check", ".");
  expect(again.code, again.transcript).toBe(0);
  expect(again.stdout).toBe("");
  expect(readdirSync(join(project.folder, "playbooks"))).toHaveLength(4); // no temporary file remains
});

test("fmt --diff prints a patch that makes the same change, and writes nothing", async () => {
  const project = newProject();
  project.write("one.yaml", UNTIDY);
  const { code, stdout, transcript } = await project.run("fmt", "--diff", "one.yaml");
  expect(code, transcript).toBe(1);
  expect(project.read("one.yaml")).toBe(UNTIDY);
  project.write("one.patch", stdout);
  const patched = await launch(["apply", "--unidiff-zero", "-p0", "one.patch"], { cwd: project.folder, program: "git" }).ended;
  expect(patched.code, patched.transcript).toBe(0);
  expect(project.read("one.yaml")).toBe(TIDY);
});

test("fmt leaves a file that it cannot read unchanged, reports it, and formats the others", async () => {
  const project = newProject();
  const broken = "playbook: 1\nsteps: [\n";
  const anchored = "playbook: 1\nname:   &x y\nsteps: []\n";
  project.write("broken.yaml", broken);
  project.write("anchored.yaml", anchored);
  project.write("one.yaml", UNTIDY);
  const { code, stdout, stderr, transcript } = await project.run("fmt", ".");
  expect(code, transcript).toBe(2);
  expect(stdout).toBe("one.yaml\n");
  expect(stderr).toMatch(/^broken\.yaml:2:8 error source\.unclosed$/m);
  expect(stderr).toContain("anchored.yaml: line 2 has the anchor &x");
  expect(stderr).toContain("1 of 3 files changed; 2 cannot be formatted");
  expect([project.read("broken.yaml"), project.read("anchored.yaml"), project.read("one.yaml")]).toEqual([
    broken,
    anchored,
    TIDY,
  ]);
});

test("fmt refuses a file of JSON, and leaves it unchanged", async () => {
  const project = newProject();
  const book = JSON.stringify({ playbook: 1, name: "x".repeat(200), steps: [{ id: "look", uses: "ledger.status" }] });
  project.write("book.json", book);
  const { code, stderr, transcript } = await project.run("fmt", "book.json");
  expect(code, transcript).toBe(2);
  expect(stderr).toContain("book.json: it is a file of JSON");
  expect(project.read("book.json")).toBe(book);
});

test("fmt - formats the text on its stdin", async () => {
  const project = newProject();
  project.write("one.yaml", UNTIDY);
  project.write("latin.yaml", "");
  const piped = (input: string, ...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    launch(["-c", `${input} | ${IN_SHELL} fmt ${args.join(" ")}`], {
      cwd: project.folder,
      program: "sh",
    }).ended;
  expect(await piped("cat one.yaml", "-")).toMatchObject({ code: 0, stdout: TIDY, stderr: "" });
  expect(await piped("cat one.yaml", "-", "--check")).toMatchObject({ code: 1, stdout: "" });
  expect(await piped("printf 'a: ['", "-")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("stdin:1:4") });
  expect(await piped("printf 'a: \\344'", "-")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("not in UTF-8"),
  });
  expect(await piped("true", "-", "one.yaml")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cannot be combined with a file"),
  });
});

test("fmt of a folder changes and shows nothing behind a link that leads out of the project; a named link is followed", async () => {
  const other = newProject();
  other.write("other.yaml", UNTIDY);
  const project = newProject();
  project.write("playbooks/own.yaml", UNTIDY);
  symlinkSync(join(other.folder, "other.yaml"), join(project.folder, "playbooks/link.yaml"));
  const diff = await project.run("fmt", "--diff", "playbooks");
  expect(diff.stdout, diff.transcript).not.toContain("link.yaml");
  const ended = await project.run("fmt", "playbooks");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr, ended.transcript).toContain("skipped playbooks/link.yaml: it leads to a file outside of the project");
  expect(project.read("playbooks/own.yaml")).toBe(TIDY);
  expect(other.read("other.yaml")).toBe(UNTIDY);
  expect((await project.run("fmt", "playbooks/link.yaml")).code).toBe(0);
  expect(other.read("other.yaml")).toBe(TIDY);
});

test("fmt keeps the permissions of a file, and keeps a link", async () => {
  const project = newProject();
  project.write("real/one.yaml", UNTIDY);
  const real = join(project.folder, "real/one.yaml");
  chmodSync(real, 0o640);
  symlinkSync(real, join(project.folder, "link.yaml"));
  const { code, transcript } = await project.run("fmt", "link.yaml");
  expect(code, transcript).toBe(0);
  expect(lstatSync(join(project.folder, "link.yaml")).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, "utf8")).toBe(TIDY);
  expect(statSync(real).mode & 0o777).toBe(0o640);
});

test("the playbooks that come with the product are formatted", async () => {
  const { code, transcript } = await launch([COMMAND, "fmt", "--check", "playbooks"], { cwd: ROOT }).ended;
  expect(code, transcript).toBe(0);
});
