import { expect, test } from "vitest";
import { comparisonIn } from "./comparison.ts";
import { newProject } from "./world.ts";

test("a playbook with an id keeps its drifts when its file is renamed; without one, a person closes them", async () => {
  const project = newProject();
  const text = (head: string): string => `playbook: 1
${head}mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": 7}]', key: { all: '"all"' }, value: row.v }
    recheck: 10ms
`;
  const idIn = async (file: string): Promise<string> =>
    comparisonIn((await project.json("run", file)).data, "reconcile.totals").drifts[0]?.id ?? "";
  project.write("named.yaml", text("id: register\n"));
  project.write("renamed.yaml", text("id: register\n"));
  project.write("old.yaml", text(""));
  project.write("new.yaml", text(""));
  expect(await idIn("named.yaml")).toBe(await idIn("renamed.yaml"));
  const left = await idIn("old.yaml");
  expect(await idIn("new.yaml")).not.toBe(left);

  const careless = await project.run("drift", "close", left);
  expect(careless.code, careless.transcript).toBe(2);
  expect(careless.stderr).toContain(`tokenbook drift close ${left} --because`);
  const misspelt = await project.run("drift", "close", "--playbook", "odl.yaml", "--because", "renamed");
  expect(misspelt.code, misspelt.transcript).toBe(2);
  expect(misspelt.stderr).toContain("did you mean old.yaml?");
  const closed = await project.run("drift", "close", "--playbook", "old.yaml", "--because", "renamed to new.yaml");
  expect(closed.code, closed.transcript).toBe(0);
  expect(closed.stdout).toContain(`closed ${left}`);
  const list = await project.run("drift", "list");
  expect(list.stdout, list.transcript).not.toContain(left);
  expect((await project.run("drift", "show", left)).stdout).toMatch(/closed {8}.*: renamed to new\.yaml/);
  const again = await project.run("drift", "close", left, "--because", "twice");
  expect(again.stderr, again.transcript).toContain("was cleared at");
  expect(await idIn("old.yaml")).toBe(left);
  expect((await project.run("drift", "list")).stdout).toContain(left);
});
