// A folder of playbooks also contains other files: data, and playbooks that other playbooks include.
import { expect, test } from "vitest";
import { newProject, type Project } from "./world.ts";

const WHOLE = `playbook: 1
name: Whole
mode: read-only
steps:
  - { id: part, uses: ./part.yaml, with: { least: 0 } }
`;
const PART = `playbook: 1
name: Part
mode: read-only
inputs:
  least: { type: integer, description: The least number. }
steps:
  - { id: stats, uses: ledger.asset.stats, expect: [inputs.least >= 0] }
`;

function folder(): Project {
  const project = newProject();
  project.write("playbooks/whole.yaml", WHOLE);
  project.write("playbooks/part.yaml", PART);
  project.write("playbooks/rates.yaml", "eur: 1.07\n");
  project.write("playbooks/data/holders.yaml", "- alice\n- bob\n");
  return project;
}

test("run skips data files and parts of other playbooks, prints a line for each, and counts them", async () => {
  const ran = await folder().run("run", "playbooks");
  expect(ran.code, ran.transcript).toBe(0);
  const notes = ran.stderr.trim().split("\n");
  expect(notes, ran.transcript).toEqual([
    expect.stringMatching(/^skipped playbooks\/data\/holders\.yaml: it is not a playbook/),
    expect.stringMatching(/^skipped playbooks\/rates\.yaml: it is not a playbook/),
    expect.stringMatching(
      /^skipped playbooks\/part\.yaml: playbooks\/whole\.yaml includes it, and its input "least" is not given/,
    ),
  ]);
  expect(ran.lines.at(-1)).toBe("1 run: 1 passed; 3 files skipped");
});

test("run --json lists the skipped files, and a part whose inputs are given runs", async () => {
  const project = folder();
  const ran = await project.json("run", "playbooks");
  const { skipped } = ran.data as unknown as { readonly skipped: readonly { readonly file: string }[] };
  expect(skipped.map(({ file }) => file).toSorted()).toEqual([
    "playbooks/data/holders.yaml",
    "playbooks/part.yaml",
    "playbooks/rates.yaml",
  ]);
  const given = await project.run("run", "playbooks", "--input", "least=1");
  expect(given.code, given.transcript).toBe(0);
  expect(given.lines.at(-1)).toBe("2 runs: 2 passed; 2 files skipped");
});

test("check, plan and schedule skip data files too", async () => {
  const project = folder();
  const checked = await project.run("check", "playbooks");
  expect(checked.code, checked.transcript).toBe(0);
  expect(checked.stderr).toContain("skipped playbooks/rates.yaml: it is not a playbook");
  expect(checked.lines.at(-1)).toBe("2 files skipped");
  const { data } = await project.json("check", "playbooks");
  expect(data).toMatchObject({ ok: true, skipped: [{ file: "playbooks/data/holders.yaml" }, { file: "playbooks/rates.yaml" }] });
  for (const command of [["plan"], ["schedule", "--once"]]) {
    const ended = await project.run(...command, "playbooks");
    expect(ended.code, ended.transcript).toBe(0);
    expect(ended.stderr).toContain("skipped playbooks/part.yaml: ");
  }
});

test("run refuses a data file, or a part without its inputs, that is named on the command line", async () => {
  const project = folder();
  for (const name of ["playbooks/rates.yaml", "playbooks/data/holders.yaml", "playbooks/part.yaml"]) {
    const ran = await project.run("run", name);
    expect(ran.code, ran.transcript).toBe(2);
    const both = await project.run("run", "playbooks", name);
    expect(both.code, both.transcript).toBe(2);
  }
});

test.each([
  ["a misspelt first line", "playbok: 1\nsteps: [{ uses: ledger.asset.stats }]\n"],
  ["a misspelt first line, and no steps yet", "playbok: 1\nname: Soon\n"],
  ["a first line in other letters", "Playbook: 1\nname: Soon\n"],
  ["no first line at all", "name: Forgotten\nsteps: [{ uses: ledger.asset.stats }]\n"],
  ["a text that is no YAML", "a: [1\nb: 2\n"],
  ["a playbook in braces", '{ "playbook": 1, "steps": 3 }\n'],
])("a file that may be a misspelt playbook is not skipped: %s", async (_, text) => {
  const project = folder();
  project.write("playbooks/zz.yaml", text);
  for (const command of ["check", "run"]) {
    const ended = await project.run(command, "playbooks");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stdout + ended.stderr).toContain("playbooks/zz.yaml");
  }
});

test("run refuses a folder that holds only data", async () => {
  const project = newProject();
  project.write("data/rates.yaml", "eur: 1.07\n");
  const ended = await project.run("run", "data");
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr).toContain("error file.missing");
});
