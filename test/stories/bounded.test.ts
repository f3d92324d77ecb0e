import { describe, expect, test } from "vitest";
import { proxyTo } from "./proxy.ts";
import { newProject, reached, servedSandbox } from "./world.ts";

// A project that would keep a CPU core busy for minutes or years. No command may take over the machine, and Ctrl-C must reach every command.

const HEAD = "playbook: 1\ninputs: { rows: { type: file, default: rows.json, schema: { type: array } } }\n";
const PAIRS = 'inputs.rows.exists(a, inputs.rows.exists(b, b.id == a.id + "-"))';

function rows(length: number): string {
  return JSON.stringify(Array.from({ length }, (_, at) => ({ id: `r${at}` })));
}

test("an expectation over all pairs of a long list fails its step, and the step gives the limit as the reason", async () => {
  const project = newProject();
  project.write("rows.json", rows(20_000));
  project.write("pairs.yaml", `${HEAD}steps:\n  - { id: read, uses: ledger.status, expect: ['${PAIRS}'] }\n`);
  const ran = await project.run("run", "pairs.yaml");
  expect(ran.code, ran.transcript).toBe(1);
  expect(ran.stdout, ran.transcript).toContain("it takes more than 10,000,000 steps, which is the limit (expressionSteps)");
});

describe("a run that computes an expression in each of many rounds", () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("the run closes as interrupted at %s", async ([signal, code]) => {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("rows.json", rows(800));
    project.write(
      "rounds.yaml",
      `${HEAD}steps:
  - { id: first, uses: ledger.status }
  - id: each
    foreach: { row: "\${{ inputs.rows }}", key: row.id }
    block: [{ id: inner, uses: ledger.status, if: '${PAIRS} && row.id == ""' }]
`,
    );
    const asked = proxy.next("GET /status", async (passing) => passing.answer(await passing.forward()));
    const running = project.start("run", "rounds.yaml");
    await reached(running, asked);
    await running.signal(signal);
    const ended = await running.ended;
    expect(ended.code, ended.transcript).toBe(code);
    expect(ended.stdout, ended.transcript).toContain("interrupted");
  });
});

const SCHEMAS = [
  {
    what: "refers to itself",
    schema:
      '{\n  "type": "array",\n  "items": { "$ref": "#/$defs/row" },\n  "$defs": {\n    "row": { "$ref": "#/$defs/row" }\n  }\n}\n',
    says: 'the schema in rows.schema.json:5:12 cannot be used: "["$defs"].row" refers to itself without end: "#/$defs/row"',
  },
  {
    what: "doubles its references",
    schema: JSON.stringify({
      $ref: "#/$defs/d0",
      $defs: Object.fromEntries([
        ...Array.from({ length: 30 }, (_, at) => [
          `d${at}`,
          { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
        ]),
        ["d30", { type: "array" }],
      ]),
    }),
    says: "cannot be checked against the schema: it takes more than 10,000,000 steps, which is the limit (validationSteps)",
  },
];

test.for(SCHEMAS)("check prints one message for a schema that $what, and ends", async ({ schema, says }) => {
  const project = newProject();
  project.write("rows.json", "[]");
  project.write("rows.schema.json", schema);
  project.write("a.yaml", `${HEAD.replace("{ type: array }", "rows.schema.json")}steps:\n  - { uses: ledger.status }\n`);
  const checked = await project.run("check", "a.yaml");
  expect(checked.code, checked.transcript).toBe(2);
  expect(checked.stdout + checked.stderr, checked.transcript).toContain(says);
});
