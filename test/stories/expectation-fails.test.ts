import { expect, test } from "vitest";
import { isObject } from "../../src/base/json/json.ts";
import { KEYS, MINT_ONCE, newProject, runIn, servedSandbox, stepIn } from "./world.ts";

const PLAYBOOK = MINT_ONCE.replace(
  "    expect: [response.totalSupply == 10]",
  `    expect:
      - response.symbol == "ONE"
      - response.totalSupply == 10.01 && response.behaviour.transferable
`,
);

/** Returns the lines below the line of a step. */
function beneath(lines: readonly string[], begins: RegExp): readonly string[] {
  const at = lines.findIndex((line) => begins.test(line));
  const rest = lines.slice(at + 1);
  return rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith("    ")),
  );
}

test("a failed expectation is reported the same way by the run, by `runs show`, in JUnit and in JSON", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("mint.yaml", PLAYBOOK);

  const run = await project.run("run", "mint.yaml", "--report", "junit=report.xml", "--report", "json=report.json");
  expect(run.code, run.transcript).toBe(1);
  const explained = beneath(run.lines, /^✗ failed {3}after /);
  expect(explained.slice(0, 7), run.transcript).toEqual([
    "    expect.failed: this does not hold: response.totalSupply == 10.01 && response.behaviour.transferable",
    "    seen:",
    "      | ├─ response.totalSupply == 10.01 → false",
    "      | │  └─ response.totalSupply → 10",
    "      | └─ response.behaviour.transferable → not evaluated",
    "    to hold: response.totalSupply would have to be 10.01 (it is 10: 0.01 less)",
    "    response:",
  ]);
  expect(explained, run.transcript).toContain("      | totalSupply: 10");
  for (const line of explained.slice(1)) expect(line.length, run.transcript).toBeLessThanOrEqual(80);

  const shown = await project.run("runs", "show", runIn(run));
  expect(beneath(shown.lines, /^✗ failed {3}after /), shown.transcript).toEqual(explained);

  const junit = project.read("report.xml");
  for (const line of explained) expect(junit).toContain(line.trim());

  const { data } = await project.json("runs", "show", runIn(run));
  const evidence = stepIn(data, "after").problem?.evidence ?? null;
  expect(isObject(evidence) ? evidence["hints"] : undefined).toEqual([
    { subject: "response.totalSupply", must: "be", wanted: { value: 10.01 }, is: { value: 10 }, remark: "0.01 less" },
  ]);
});

test("an `until` that never held is reported like a failed expectation", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write(
    "mint.yaml",
    PLAYBOOK.replace(/ {4}expect:[^]*?\n\n/, "    until: response.totalSupply >= 11\n    timeout: 100ms\n"),
  );
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toContain(
    "    to hold: response.totalSupply would have to be at least 11\n      | (it is 10: 1 less)\n",
  );
});

test("a secret that the service gives back is shown nowhere", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("mint.yaml", PLAYBOOK.replace("name: Minted once", `name: ${KEYS["LEDGER_KEY"]}`).replace('"ONE"', '"TWO"'));
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toContain('name: "${{ secrets.');
  expect(run.stdout + run.stderr, run.transcript).not.toContain(KEYS["LEDGER_KEY"]);
});
