import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newProject } from "./world.ts";

// Files whose parts have the largest allowed size. Each file is read, or refused with one message, and none crashes the process.

const TABLE = (format: string, items: string): string => `playbook: 1
inputs: { rows: { type: file, default: rows.${format}, items: ${items} } }
steps: [{ uses: ledger.status, expect: ["size(inputs.rows) > 0"] }]
`;
const TEXT = "{ type: object, properties: { note: { type: string } } }";

test.for([
  ["JSON that is one long text", "json", `[{"note": "${"x".repeat(15_000_000)}"}]`],
  ["a CSV cell of very many lines", "csv", `note\n"${"a\r\n".repeat(2_000_000)}"\n`],
] as const)("%s is read", async ([, format, content]) => {
  const project = newProject({});
  project.write("large.yaml", TABLE(format, TEXT));
  project.write(`rows.${format}`, content);
  const { code, transcript } = await project.run("check", "large.yaml");
  expect(transcript.slice(0, 2_000)).not.toContain("RangeError");
  expect(code).toBe(0);
});

test("check reports the first of 100,000 unknown columns, with the column that was meant", async () => {
  const project = newProject({});
  const known = Array.from({ length: 500 }, (_, at) => `column_${at}: { type: string }`).join(", ");
  project.write("large.yaml", TABLE("csv", `{ type: object, properties: { ${known} } }`));
  const header = Array.from({ length: 100_000 }, (_, at) => `columns_${at}`).join(",");
  project.write("rows.csv", `${header}\n${"1,".repeat(99_999)}1\n`);
  const { code, transcript } = await project.run("check", "large.yaml");
  expect(code, transcript.slice(0, 2_000)).toBe(2);
  expect(transcript).toContain('did you mean "column_0"?');
});

test.for(["csv", "ndjson"])(
  "a line that does not end is refused as soon as it is too long for a row of a .%s file",
  async (format) => {
    const project = newProject({});
    project.write(
      "each.yaml",
      "playbook: 1\ninputs: { note: { type: string } }\nsteps: [{ uses: ledger.status, if: inputs.note != '' }]\n",
    );
    project.write(`rows.${format}`, "");
    truncateSync(join(project.folder, `rows.${format}`), 2 ** 36); // a sparse file takes no disk space
    const { code, transcript } = await project.run("run", "each.yaml", "--each", `rows.${format}`);
    expect(code, transcript.slice(0, 2_000)).toBe(2);
    expect(transcript).toContain("each.unreadable");
  },
);

test("broken JSON of ten million characters is refused in one message", async () => {
  const project = newProject({});
  project.write("large.yaml", TABLE("json", TEXT));
  project.write("rows.json", `[${'{"note": "x"}, '.repeat(700_000)} oops]`);
  const { code, transcript } = await project.run("check", "large.yaml");
  expect(code, transcript.slice(0, 2_000)).toBe(2);
  expect(transcript).toContain("Unexpected token");
});

test("fmt --diff shows a file that changes in every line as one hunk", async () => {
  const project = newProject({});
  const steps = Array.from({ length: 3_000 }, (_, at) => `    -   {   id:   s${at},   uses:   ledger.status   }`);
  project.write("wide.yaml", `playbook:   1\nsteps:\n${steps.join("\n")}\n`);
  const { code, stdout, transcript } = await project.run("fmt", "--diff", "wide.yaml");
  expect(code, transcript.slice(0, 2_000)).toBe(1);
  expect(stdout.match(/^@@ /gm)).toHaveLength(1);
  expect(stdout.match(/^-/gm)?.length).toBe(3_003);
  expect(readFileSync(join(project.folder, "wide.yaml"), "utf8")).toContain("    -   {   id:   s0");
});
