import { expect, test } from "vitest";
import { newProject, operationsOf, servedSandbox } from "./world.ts";

const TOO_MANY = 10_001;
const ROWS = Array.from({ length: TOO_MANY }, (_, at) => `r${at}`);

const CREATE = `  - id: first
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: A1 } }
`;
const HEAD = 'actors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\n';
const LOOP = 'foreach: { row: "${{ inputs.rows }}", key: row }, uses: ledger.asset.stats';
const INPUT = "inputs: { rows: { type: list, items: { type: string } } }\n";
const FILE = "inputs: { rows: { type: file, format: json, default: rows.json, schema: rows.schema.json } }\n";

test.for([
  { what: "an input", text: `playbook: 1\n${INPUT}${HEAD}steps:\n${CREATE}  - { id: each, ${LOOP} }\n`, file: "rows" },
  { what: "a file of data", text: `playbook: 1\n${FILE}${HEAD}steps:\n${CREATE}  - { id: each, ${LOOP} }\n`, file: undefined },
  {
    what: "an included playbook's input",
    text: `playbook: 1\n${INPUT}${HEAD}steps:\n${CREATE}  - { id: inner, uses: ./inner.yaml, with: { rows: "\${{ inputs.rows }}" } }\n`,
    file: "rows",
  },
])("a foreach over $what with too many rows is refused before the first step", async ({ text, file }) => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("inner.yaml", `playbook: 1\n${INPUT}steps:\n  - { id: each, ${LOOP} }\n`);
  project.write("rows.json", JSON.stringify(ROWS));
  project.write("rows.schema.json", '{ "type": "array", "items": { "type": "string" } }');
  project.write("inputs.json", JSON.stringify({ rows: ROWS }));
  project.write("outer.yaml", text);
  const given = file === undefined ? [] : ["--inputs", "inputs.json"];
  const ran = await project.run("run", "outer.yaml", ...given);
  expect(ran.code, ran.transcript).toBe(2);
  expect(ran.stderr).toContain("error foreach.limit");
  expect(ran.stderr).toContain("foreach over 10001 items; the limit is 10000");
  expect(operationsOf(await service.commits())).toEqual([]);
});

test("check refuses a written list with too many rounds, and no run of it begins", async () => {
  const project = newProject();
  const step = `  - { id: each, foreach: { row: [${ROWS.join(", ")}], key: row }, uses: ledger.asset.stats, expect: [row != ""] }`;
  project.write("written.yaml", `playbook: 1\nsteps:\n${step}\n`);
  for (const command of ["check", "run"]) {
    const { code, stdout, stderr, transcript } = await project.run(command, "written.yaml");
    expect(code, transcript).toBe(2);
    expect(stdout + stderr, transcript).toMatch(
      /written\.yaml:3:\d+ error playbook\.loop-too-long\n.*a foreach over 10001 items; the limit is 10000/,
    );
  }
});

test("a run is not refused for a long list that no step is certain to iterate", async () => {
  const project = newProject();
  project.write("inputs.json", JSON.stringify({ rows: ROWS }));
  project.write("skips.yaml", `playbook: 1\n${INPUT}steps:\n  - { id: each, if: size(inputs.rows) < 10, ${LOOP} }\n`);
  const ran = await project.run("run", "skips.yaml", "--inputs", "inputs.json");
  expect(ran.code, ran.transcript).toBe(0);
});
