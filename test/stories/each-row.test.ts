import { symlinkSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { type Batch, beginningOf, RowKeys } from "../../src/cli/runs/each-rows.ts";
import reportSchema from "../../schemas/report.schema.json" with { type: "json" };
import { patternOf } from "../../src/expression/pattern.ts";
import type { NotBegun } from "../../src/report/shape.ts";
import { userValidator } from "../../src/schema/user.ts";
import { elementsOf } from "../unit/report/xml.ts";
import { isStopped } from "./proc.ts";
import {
  embeddedCommits,
  expectNoneTwice,
  filesBelow,
  newProject,
  type Printed,
  type Project,
  reached,
  servedSandbox,
  until,
} from "./world.ts";

// The playbook creates a property for each holder. If the property has 13 rooms, the step after that fails.
const PLAYBOOK = `playbook: 1
name: Register
inputs:
  id: { type: string }
  rooms: { type: integer, default: 1 }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ inputs.id }}", rooms: "\${{ inputs.rooms }}" } } }
  - { id: count, uses: ledger.asset.get, with: { assetType: Property, id: "\${{ inputs.id }}" }, expect: [response.data.rooms != 13] }
`;
const REPORTS = [
  "json=r.json",
  "junit=r.xml",
  "html=r.html",
  "ctrf=c.json",
  "md=r.md",
  "ndjson=r.ndjson",
  "tap=r.tap",
  "otlp=o.json",
];
const WITH_REPORTS = ["--report", REPORTS.join(",")];

function projectWith(rows: string, file = "houses.csv"): Project {
  const project = newProject();
  project.write("register.yaml", PLAYBOOK);
  project.write(file, rows);
  return project;
}

interface Reported extends Printed {
  readonly notBegun: readonly NotBegun[];
}

function reportIn(project: Project): Reported {
  return JSON.parse(project.read("r.json")) as Reported;
}

async function houses(project: Project): Promise<readonly string[]> {
  return (await embeddedCommits(project)).map(({ body }) => JSON.stringify(body)).toSorted();
}

const BATCH: Batch = ["houses.csv", "register.yaml", "sandbox"];
const EACH = ["run", "register.yaml", "--each", "houses.csv"] as const;

test("each row is a run with its columns as inputs, and a case in every report", async () => {
  const project = projectWith('id,rooms\nA,3\n"B\nb",\nC,many\nD,13\n');
  const run = await project.run(...EACH, ...WITH_REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.at(-1), run.transcript).toMatch(/^4 rows: (?=.*2 passed)(?=.*1 failed)(?=.*1 not begun)/);
  expect(run.stdout, run.transcript).toContain("✗ not begun  houses.csv:5: register.yaml: 1 input cannot be used");
  expect(await embeddedCommits(project)).toHaveLength(3);

  const report = reportIn(project);
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(report.reports.map(({ row, run: { outcome } }) => [row?.line, outcome])).toEqual([
    [2, "passed"],
    [3, "passed"],
    [6, "failed"],
  ]);
  expect(report.notBegun.map(({ row, problem }) => [row, problem.code])).toEqual([
    [{ file: "houses.csv", line: 5 }, "input.invalid"],
  ]);
  const elements = elementsOf(project.read("r.xml"));
  const suites = elements.filter(({ name }) => name === "testsuite").map(({ attributes }) => attributes["name"]);
  expect(suites).toEqual([2, 3, 6, 5].map((line) => `Register [houses.csv:${line}]`));
  expect(elements[0]?.attributes).toMatchObject({ failures: "2" });
  // GitLab identifies a test case by these two attributes.
  const cases = elements.filter(({ name }) => name === "testcase");
  const keys = cases.map(({ attributes }) => `${attributes["classname"]} ${attributes["name"]}`);
  expect(new Set(keys).size, keys.join("\n")).toBe(7);
  expect(keys.at(-1)).toBe("register.yaml [houses.csv:5] the run itself");
  for (const file of ["r.html", "r.md", "c.json", "r.tap"])
    for (const line of [2, 3, 5, 6]) expect(project.read(file), file).toContain(`houses.csv:${line}`);
  expect(project.read("r.ndjson").match(/"kind":"run.opened"/g)).toHaveLength(3);
});

test("the warning of a row that passed is printed", async () => {
  const project = projectWith("id,rooms\nA,3\n");
  const check =
    "{ name: few, read: ledger.asset.get, with: { assetType: Property, id: A }, that: response.data.rooms < 3, severity: warn }";
  project.write("register.yaml", `${PLAYBOOK}checks:\n  - ${check}\n`);
  const run = await project.run(...EACH);
  expect(run.code, run.transcript).toBe(0);
  expect(run.stdout, run.transcript).toMatch(/! warned +checks\.few/);
});

test("repeating the command shows rows that passed, resumes those that failed, and begins new ones", async () => {
  const project = projectWith("id,rooms\nA,3\nD,13\n");
  const first = await project.run(...EACH);
  expect(first.code, first.transcript).toBe(1);
  project.write("houses.csv", "rooms,id\n2,NEW\n13,D\n3,A\n");
  const again = await project.run(...EACH, ...WITH_REPORTS);
  expect(again.code, again.transcript).toBe(1);
  expect(again.lines.at(-1), again.transcript).toMatch(/^3 rows: .* \(1 passed before and were not run again\)$/);
  expect(reportIn(project).reports.map(({ row, run: { outcome } }) => [row?.line, outcome])).toEqual([
    [2, "passed"],
    [3, "failed"],
    [4, "passed"],
  ]);
  expect(await houses(project)).toHaveLength(3);
  expectNoneTwice(await embeddedCommits(project), again.transcript);
});

test("--failed takes only the rows whose run did not pass", async () => {
  const project = projectWith("id,rooms\nA,3\nD,13\nE,13\n");
  await project.run(...EACH);
  project.write("houses.csv", "id,rooms\nA,3\nD,13\nE,13\nNEW,1\n");
  project.write("register.yaml", PLAYBOOK.replace("response.data.rooms != 13", "response.data.rooms <= 13"));
  const run = await project.run(...EACH, "--failed", ...WITH_REPORTS);
  expect(run.code, run.transcript).toBe(0);
  expect(reportIn(project).reports.map(({ row, run: { outcome } }) => [row?.line, outcome])).toEqual([
    [3, "passed"],
    [4, "passed"],
  ]);
  expect(await houses(project)).toHaveLength(3);
  expect(run.stderr).toContain("1 row has no run yet: repeat the command without --failed to run what is new or corrected");
});

test("a row stays the same row when it gains or loses an empty cell", async () => {
  const project = projectWith("id,rooms\nA,\n");
  await project.run(...EACH);
  project.write("houses.csv", "id\nA\n");
  const again = await project.run(...EACH);
  expect(again.lines.at(-1), again.transcript).toBe("1 row: 1 passed (1 passed before and were not run again)");
  expect(await houses(project)).toHaveLength(1);
});

test("a row stays the same row when its values are spelled in another way", async () => {
  const project = newProject();
  project.write(
    "register.yaml",
    PLAYBOOK.replace(
      "rooms: { type: integer, default: 1 }",
      "rooms: { type: decimal }\n  keeper: { type: entity }\n  open: { type: boolean }",
    ),
  );
  const tables = [
    "id,rooms,keeper,open\n1.50,10.50,userId:bob,true\n",
    "id,rooms,keeper,open\n1.50,10.5,userId:bob,true\n",
    "rooms,id,open,keeper\r\n10.500,1.50,true,userId:bob\r\n",
    'id,rooms,keeper,open\n1.50,10.5,"{""userId"": ""bob""}",true\n',
  ];
  for (const table of tables) {
    project.write("houses.csv", table);
    const ended = await project.run(...EACH);
    expect(ended.code, ended.transcript).toBe(0);
    expect(await houses(project), table).toHaveLength(1);
  }
  // A text with other digits is a different text.
  project.write("houses.csv", (tables[0] ?? "").replace("1.50,", "1.5,"));
  const other = await project.run(...EACH);
  expect([other.code, other.stderr], other.transcript).toEqual([2, expect.stringContaining("each.rows-gone")]);
});

test("a row that was edited after its run has written does not run as a new row", async () => {
  const project = projectWith("id,rooms\nA,3\nB,4\nC,many\nD,13\n");
  await project.run(...EACH);
  const before = await houses(project);
  for (const [table, gone] of [
    ["id,rooms\nA,3\nB,5\nD,13\n", 'id "B", rooms 4'],
    ["id,rooms\nA,3\nB,4\nD,12\n", 'id "D", rooms 13'],
    ["id,rooms\nB,4\nE,1\nD,13\n", 'id "A", rooms 3'],
  ] as const) {
    project.write("houses.csv", table);
    const refused = await project.run(...EACH, ...WITH_REPORTS);
    expect(refused.code, refused.transcript).not.toBe(0);
    expect(refused.stderr, refused.transcript).toContain(
      "houses.csv lacks 1 row whose run has written, and 1 of its rows has no run:",
    );
    expect(refused.stderr, refused.transcript).toContain(gone);
    expect(reportIn(project).notBegun.map(({ problem }) => problem.code)).toEqual(["each.rows-gone"]);
    expect(refused.stderr, refused.transcript).toContain("--each NEW.csv");
    expect(await houses(project)).toEqual(before);
  }
  // The user may correct rows that have written nothing, remove rows that are done, and add new rows.
  project.write("houses.csv", "id,rooms\nA,3\nB,4\nC,2\nD,13\n");
  expect((await project.run(...EACH)).lines.at(-1)).toMatch(/^4 rows: (?=.*3 passed)(?=.*1 failed)/);
  project.write("houses.csv", "id,rooms\nA,3\n");
  expect((await project.run(...EACH)).code).toBe(0);
  project.write("more.csv", "id,rooms\nE,1\n");
  expect((await project.run("run", "register.yaml", "--each", "more.csv")).code).toBe(0);
});

test("a batch stays the same batch when its folder is reached through a link", async () => {
  const project = projectWith("id,rooms\nA,3\nB,4\n");
  const link = `${project.folder}-linked`;
  symlinkSync(project.folder, link);
  expect((await project.run(...EACH)).code).toBe(0);
  const before = await houses(project);
  for (const [playbook, table] of [
    [`${link}/register.yaml`, `${link}/houses.csv`],
    ["register.yaml", `${link}/houses.csv`],
    [join(project.folder, "register.yaml"), "houses.csv"],
    [`../${basename(link)}/register.yaml`, `../${basename(link)}/houses.csv`],
  ] as const) {
    const again = await project.run("run", playbook, "--each", table);
    expect(again.lines.at(-1), again.transcript).toBe("2 rows: 2 passed (2 passed before and were not run again)");
  }
  expect(await houses(project)).toEqual(before);
});

test("a batch whose keys an earlier version made from the name of a link is not run again", async () => {
  const project = projectWith("id,rooms\nA,3\n");
  const link = `${project.folder}-linked`;
  symlinkSync(project.folder, link);
  const former: Batch = [`../${basename(link)}/houses.csv`, `../${basename(link)}/register.yaml`, "sandbox"];
  const key = new RowKeys(beginningOf(former), former).next({ id: "A", rooms: "3" });
  expect((await project.run("run", "register.yaml", "--key", key, "--input", "id=A", "--input", "rooms=3")).code).toBe(0);
  const again = await project.run("run", `${link}/register.yaml`, "--each", `${link}/houses.csv`);
  expect(again.lines.at(-1), again.transcript).toBe("1 row: 1 passed (1 passed before and were not run again)");
});

test("a row whose key an earlier version made from its spelling is not run again", async () => {
  const project = projectWith("id,rooms\nA,7.0\nB,7\n");
  project.write("register.yaml", PLAYBOOK.replace("type: integer, default: 1", "type: decimal"));
  const former = new RowKeys("each/", BATCH).next({ id: "A", rooms: "7.0" });
  const before = await project.run("run", "register.yaml", "--key", former, "--input", "id=A", "--input", "rooms=7.0");
  expect(before.code, before.transcript).toBe(0);
  const ended = await project.run(...EACH);
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.transcript).toContain("1 passed before");
  expect(await houses(project)).toHaveLength(2);

  const kept = projectWith('id,keeper\nA,"{""userId"": ""bob""}"\nB,userId:bob\n');
  kept.write(
    "register.yaml",
    PLAYBOOK.replace("rooms: { type: integer, default: 1 }", "keeper: { type: entity }")
      .replace(/, rooms: "[^"]+"/, "")
      .replace(/, expect: .*?\]/, ""),
  );
  const asJson = new RowKeys("each/", BATCH).next({ id: "A", keeper: '{"userId":"bob"}' });
  const earlier = await kept.run("run", "register.yaml", "--key", asJson, "--input", "id=A", "--input", "keeper=userId:bob");
  expect(earlier.code, earlier.transcript).toBe(0);
  const again = await kept.run(...EACH);
  expect(again.transcript).toContain("2 rows: 2 passed (1 passed before");
  expect(await houses(kept)).toHaveLength(2);
});

test("two equal rows are two runs, and another --key runs the rows once more", async () => {
  const project = projectWith("rooms\n1\n1\n");
  project.write(
    "register.yaml",
    PLAYBOOK.replace("  id: { type: string }\n", "").replaceAll("${{ inputs.id }}", "H${{ run.key }}"),
  );
  expect((await project.run(...EACH)).code).toBe(0);
  expect((await project.run(...EACH)).code).toBe(0);
  expect(await houses(project)).toHaveLength(2);
  const batch = await project.run(...EACH, "--key", "NOVEMBER");
  expect(batch.code, batch.transcript).toBe(0);
  expect((await project.run(...EACH, "--key", "NOVEMBER")).code).toBe(0);
  expect(await houses(project)).toHaveLength(4);
});

test("a batch refuses the rows of another file, and proposes another --key for them", async () => {
  const project = projectWith("id,rooms\nA,1\n");
  expect((await project.run(...EACH, "--key", "NOVEMBER")).code).toBe(0);
  project.write("others.csv", "id,rooms\nB,1\n");
  const other = ["run", "register.yaml", "--each", "others.csv", "--key"] as const;
  const refused = await project.run(...other, "NOVEMBER");
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("others.csv lacks 1 row")]);
  expect(refused.stderr, refused.transcript).toContain("--each NEW.csv --key NAME");
  expect((await project.run(...other, "NOVEMBER-2")).code).toBe(0);
  expect(await houses(project)).toHaveLength(2);
});

test("a row whose process was killed resumes its run", async () => {
  const service = await servedSandbox();
  const project = projectWith("id\nA\nB\nC\n");
  project.serviceAt(service.url);
  const killed = await project
    .as({ ...project.variables, TOKENBOOK_FAILPOINT: "after:attempt.intended@house" })
    .run(...EACH, "--jobs", "1");
  expect(killed.code, killed.transcript).toBe(null);
  const again = await project.run(...EACH);
  expect(again.code, again.transcript).toBe(0);
  expect(again.lines.at(-1), again.transcript).toBe("3 rows: 3 passed");
  const commits = await service.commits();
  expect(commits).toHaveLength(3);
  expectNoneTwice(commits, again.transcript);
});

test("a row that is removed from the file while its write is open is still reported", async () => {
  const service = await servedSandbox();
  const project = projectWith("id\nA\n");
  project.serviceAt(service.url);
  await project.run(...EACH);
  project.write("houses.csv", "id\nA\nB\n");
  await project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "sent@house" }).run(...EACH);
  project.write("houses.csv", "id\nA\n");
  for (const more of [[], ["--failed"]]) {
    const without = await project.run(...EACH, ...more, ...WITH_REPORTS);
    expect(without.code, without.transcript).toBe(5);
    expect(without.stderr).toContain("houses.csv lacks a row whose run has left a write open:");
    expect(reportIn(project).notBegun.map(({ problem }) => problem.code)).toEqual(["each.left-open"]);
  }
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect((await project.run(...EACH)).code).toBe(0);
  expectNoneTwice(await service.commits(), resumed.transcript);
});

test("a file that changes while its rows run starts no further row, because a half row is another row", async () => {
  const row = (at: number): string => `H${at},${"x".repeat(30_000)}\n`;
  const project = projectWith(`id,note\n${Array.from({ length: 60 }, (_, at) => row(at)).join("")}`);
  project.write("register.yaml", PLAYBOOK.replace("inputs:\n", "inputs:\n  note: { type: string }\n"));
  const armed = project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "stop after:attempt.intended@house" });
  const running = armed.start(...EACH, "--jobs", "1", "--report", "json=r.json");
  await reached(
    running,
    until(() => (isStopped(running.pid) ? true : undefined)),
  );
  truncateSync(join(project.folder, "houses.csv"), project.read("houses.csv").indexOf("H55") + 1_000);
  process.kill(running.pid, "SIGCONT");
  const { code, stderr, transcript } = await running.ended;
  expect([code, stderr], transcript).toEqual([2, expect.stringContaining("houses.csv changed while it was read")]);
  const { reports, notBegun } = reportIn(project);
  expect(notBegun.map(({ problem }) => problem.code)).toEqual(["source.changed"]);
  expect(await embeddedCommits(project), transcript).toHaveLength(reports.length);
  expect(reports.length).toBeLessThan(55);
});

test("rows of NDJSON keep their types, and a line that is no object fails alone", async () => {
  const project = projectWith('{"id":"A","rooms":3}\n\nnonsense\n{"id":"B"}\n', "houses.ndjson");
  const run = await project.run("run", "register.yaml", "--each", "houses.ndjson", ...WITH_REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(reportIn(project).reports.map(({ row }) => row?.line)).toEqual([1, 4]);
  expect(reportIn(project).notBegun.map(({ row, problem }) => [row?.line, problem.code])).toEqual([[3, "each.row"]]);
  project.write("houses.ndjson", '{"id":"A","rooms":4}\n');
  const edited = await project.run("run", "register.yaml", "--each", "houses.ndjson");
  expect(edited.stderr, edited.transcript).toContain("tokenbook run register.yaml --each NEW.ndjson");
});

test("the shards together run all rows, and --fail-fast starts no further row", async () => {
  const project = projectWith("id,rooms\nA,1\nB,1\nC,1\nD,13\nE,1\n");
  const fast = await project.run(...EACH, "--fail-fast", "--shard", "2/2", "--jobs", "1");
  expect([fast.code, fast.lines.at(-1)], fast.transcript).toEqual([1, "2 of 5 rows: 1 passed, 1 failed"]);
  expect(await houses(project)).toHaveLength(2);
  const other = await project.run(...EACH, "--shard", "1/2");
  expect([other.code, other.lines.at(-1)], other.transcript).toEqual([0, "3 of 5 rows: 3 passed"]);
  expect(await houses(project)).toHaveLength(5);
  project.write("more.csv", "id,rooms\nX,13\nY,1\nZ,1\n");
  const stopped = await project.run("run", "register.yaml", "--each", "more.csv", "--fail-fast", "--jobs", "1", ...WITH_REPORTS);
  expect(stopped.code, stopped.transcript).toBe(1);
  expect(stopped.stderr, stopped.transcript).toContain("--fail-fast: more.csv:2 did not pass; 2 rows not started");
  expect(reportIn(project).notBegun).toMatchObject([
    { problem: { code: "run.not-started", message: "--fail-fast: more.csv:2 did not pass; 2 rows not started" } },
  ]);
});

test.for<readonly [string, string, string]>([
  ["each.unknown-column", "id,room\nA,1\n", 'did you mean "rooms"?'],
  ["each.no-rows", "id,rooms\n", "houses.csv has no row"],
  ["each.unreadable", "id,rooms\nA,1\nB\n", "houses.csv:3: the row has 1 cell, and the header 2"],
  ["each.unreadable", "", "houses.csv:1: the file is empty"],
])("%s: a file that is no table of inputs is refused before anything is sent", async ([code, text, words]) => {
  const project = projectWith(text);
  const run = await project.run(...EACH);
  expect([run.code, run.stdout], run.transcript).toEqual([2, ""]);
  expect(run.stderr, run.transcript).toContain(code);
  expect(run.stderr, run.transcript).toContain(words);
  expect(filesBelow(project.folder).some((file) => file.endsWith(".db"))).toBe(false);
});

test("rows, files and options that do not fit together are refused", async () => {
  const project = projectWith("id,rooms\nA,\nB,2\n");
  for (const [args, words] of [
    [[...EACH, "--input", "rooms=9"], 'houses.csv:3: the row gives "rooms", and so does --input'],
    [["run", "register.yaml", "--failed"], "'--failed' cannot be used without option '--each <file>'"],
    [[...EACH, "register.yaml", "--repeat", "2"], "cannot be used with"],
    [["run", "register.yaml", "--each", "none.csv"], "none.csv"],
    [["run", "register.yaml", "--each", "register.yaml"], "each.format"],
  ] as const) {
    const run = await project.run(...args);
    expect(run.code, run.transcript).toBe(2);
    expect(run.stderr, run.transcript).toContain(words);
  }
});

test("a playbook that only compares needs a --key for each batch, because a row runs once in a batch", async () => {
  const project = projectWith("id,rooms\nA,5\n");
  const comparing = (rooms: number): string => `playbook: 1
mode: read-only
inputs: { id: { type: string }, rooms: { type: integer } }
reconcile:
  - id: rooms
    scope: "\${{ inputs.id }}"
    left: { rows: "[inputs]", key: row.id, value: row.rooms }
    right: { rows: "[{'id': inputs.id, 'rooms': ${rooms}}]", key: row.id, value: row.rooms }
    recheck: 1ms
`;
  const night = async (rooms: number, ...named: string[]): Promise<readonly [number | null, string]> => {
    project.write("rooms.yaml", comparing(rooms));
    const { code, stderr } = await project.run("run", "rooms.yaml", "--each", "houses.csv", ...named);
    return [code, stderr];
  };
  expect(await night(5)).toEqual([2, expect.stringContaining("each.compares")]);
  expect(await night(5, "--key", "2026-12-01")).toEqual([0, ""]);
  expect(await night(6, "--key", "2026-12-02")).toEqual([3, ""]);
});

test("a wrong row in the middle of a table gets one message, and the process ends normally", async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `H${at},${at < 20 ? "" : "2"}\n`);
  const project = projectWith(`id,rooms\n${rows.join("")}`);
  const { code, stderr, transcript } = await project.start(...EACH, "--input", "rooms=9").ended;
  expect(code, transcript).toBe(2);
  expect(stderr, transcript).toMatch(/^error each\.given-twice\n {2}houses\.csv:22: [^]*remove it from the rows\n$/);
});
