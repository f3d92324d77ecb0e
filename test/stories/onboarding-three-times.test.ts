import { expect, test } from "vitest";
import { delivered, embeddedCommits, newProject, type Project, runIn, stepIn } from "./world.ts";

// The steps in order; a plus marks a write.
const STEPS =
  "property+ token+ mint+ request+ approvals[bob]+ approvals[dora]+ owned vault+ deposit+ shares accounts sales before buy+ portfolio purchases".split(
    " ",
  );

test("the onboarding is run three times in one folder, and then the supply is reconciled", async () => {
  const project = newProject();
  project.write("property-sale.yaml", delivered("onboarding/property-sale.yaml"));
  project.write("supply.yaml", delivered("reconciliation/supply.yaml"));

  const runs = [await onboard(project), await onboard(project), await onboard(project)];
  expect(new Set(runs.map(({ id }) => id)).size).toBe(3);

  const { data: listed } = await project.json("runs");
  expect(listed.runs.map(({ id, outcome }) => [id, outcome])).toEqual(runs.toReversed().map(({ id }) => [id, "passed"]));
  const { lines } = await project.run("runs");
  expect(lines.map((line) => line.split(/\s+/)[2])).toEqual(["passed", "passed", "passed"]);

  const tokens = (await Promise.all(runs.map(({ id }) => tokensOf(project, id)))).flat();
  expect(new Set(tokens).size).toBe(6);
  project.write("tokens.json", JSON.stringify({ tokens }));
  const before = await embeddedCommits(project);
  const supply = await project.run("run", "supply.yaml", "--inputs", "tokens.json");
  expect(supply.code, supply.told).toBe(0);
  expect(supply.stdout).toContain("output tokens: 6");
  expect(await embeddedCommits(project)).toEqual(before);

  project.write("too-few.json", JSON.stringify({ tokens: tokens.slice(1) }));
  const missing = await project.run("run", "supply.yaml", "--inputs", "too-few.json");
  expect(missing.code, missing.told).toBe(1);
  expect(missing.stdout).toContain("this does not hold: inputs.complete == false || response.size() == inputs.tokens.size()");
});

// A person reads lines: each step has one, with its outcome, and a write its transaction.
async function onboard(project: Project): Promise<{ readonly id: string }> {
  const ended = await project.run("run", "property-sale.yaml");
  expect(ended.code, ended.told).toBe(0);
  expect(ended.stderr, ended.told).toBe("");
  const [, ...rows] = ended.lines;
  for (const [at, step] of STEPS.entries()) {
    const row = rows[at] ?? "";
    if (step.endsWith("+")) expect(row, ended.told).toMatch(/^✓ changed {2}\S+ .* tx [0-9a-f]{64} /);
    else expect(row, ended.told).toMatch(/^✓ ok {7}\S+ /);
    expect(row.split(/\s+/)[2], ended.told).toBe(step.replace("+", ""));
  }
  expect(rows[STEPS.length], ended.told).toMatch(/^✓ passed .*: 16 steps: 9 changed, 7 ok in /);
  return { id: runIn(ended) };
}

// The property's token, and the share token of its vault.
async function tokensOf(project: Project, run: string): Promise<readonly string[]> {
  const { data } = await project.json("runs", "show", run);
  const created = ["token", "vault"].map(
    (step) => stepIn(data, step).attempts[0]?.input as { id: string; vaultToken?: readonly { id: string }[] },
  );
  return created.flatMap(({ id, vaultToken }) => vaultToken?.map((share) => share.id) ?? [id]);
}
