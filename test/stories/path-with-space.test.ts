import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { delivered, filesBelow, KEYS, newProject, runIn } from "./world.ts";

test("everything works in a folder whose name has a space and letters that are not ASCII", async () => {
  const project = newProject(KEYS, "Häuser in Évora, 50 % 不動産");
  project.write("my playbooks/ended sale ü.yaml", delivered("scenarios/ended-sale.yaml"));
  const checked = await project.run("check", "my playbooks");
  expect(checked.code, checked.transcript).toBe(0);
  expect(checked.stdout).toContain("✓ my playbooks/ended sale ü.yaml: 4 steps");

  const run = await project.run(
    "run",
    "my playbooks/ended sale ü.yaml",
    "--report",
    "junit=der bericht.xml",
    "--state",
    "der zustand",
  );
  expect(run.code, run.transcript).toBe(0);
  expect(project.read("der bericht.xml")).toContain('classname="my playbooks/ended sale ü.yaml"');
  expect(existsSync(join(project.folder, "der zustand/journal.db"))).toBe(true);
  expect(filesBelow(project.folder).filter((file) => file.includes(".tokenbook"))).toEqual([]);

  const resumed = await project.run("resume", runIn(run), "--state", "der zustand");
  expect(resumed.code, resumed.transcript).toBe(0);
  const { data } = await project.json("runs", "--state", "der zustand");
  expect(data.runs.map(({ playbook, outcome }) => [playbook, outcome])).toEqual([["my playbooks/ended sale ü.yaml", "passed"]]);
});

test.for([
  ["a schedule", ["schedule", "release", "my book.yaml"], "next: tokenbook schedule release 'my book.yaml' --because"],
  // The key of a round comes from a file or a service, so a printed command must not let a shell evaluate it.
  ["a step", ["resolve", "x", "--step", "pay[$(id)]"], "next: tokenbook resolve x --step 'pay[$(id)]' --as applied"],
] as const)("the command to type about %s is quoted for the shell", async ([, args, next]) => {
  const ended = await newProject().run(...args);
  expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(next)]);
});
