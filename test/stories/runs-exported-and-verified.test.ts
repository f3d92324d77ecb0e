import { hash } from "node:crypto";
import { expect, test } from "vitest";
import runsSchema from "../../schemas/runs.schema.json" with { type: "json" };
import { SchemaSet } from "../../src/schema/validator.ts";
import { type Desk, desk, inJournal, losingMint } from "./desk.ts";
import { dangersOf } from "../unit/report/hostile.ts";
import { cutAnswer } from "./proxy.ts";
import { KEYS, MINT_ONCE, newProject, runIn, servedSandbox } from "./world.ts";

/** A run with a mint whose outcome nobody could see. A person settled the mint, and the run was resumed to its end. */
async function resolved(): Promise<Desk & { readonly run: string }> {
  const at = await desk({});
  const project = newProject({ ...KEYS, USER: "olga" });
  project.serviceAt(at.proxy.url);
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace("exclusive: true", "exclusive: false"));
  project.write("mint.yaml", MINT_ONCE);
  void at.proxy.next("POST /token/mint", cutAnswer);
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(5);
  const run = runIn(ended);
  await project.run("resolve", run, "--step", "mint", "--as", "applied", "--because", "I saw it");
  expect((await project.run("resume")).code).toBe(0);
  return { ...at, project, run };
}

interface Line {
  readonly run: string;
  readonly sequence: number;
  readonly epoch: number;
  readonly at: number;
  readonly time: string;
  readonly kind: string;
  readonly previous: string;
  readonly hash: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the hash of the last exported record. Computes each hash from its line again, as the guarantee describes. */
function lastHashOf(exported: readonly string[], run: string): string {
  let before = "0".repeat(64);
  for (const [at, text] of exported.entries()) {
    const line = JSON.parse(text) as Line;
    expect(line).toMatchObject({ run, sequence: at, previous: before, time: new Date(line.at).toISOString() });
    const body = text.slice(text.indexOf('"body":') + '"body":'.length, -1);
    before = hash("sha256", `${before}\n${[line.sequence, line.epoch, line.at, line.kind, body].join("\n")}`);
    expect(line.hash).toBe(before);
  }
  return before;
}

test("a run is exported with its chain, so that anybody can check it, and shown with all that happened to it", async () => {
  const { project, run } = await resolved();
  const exported = await project.run("runs", "export", run);
  expect(exported.code, exported.transcript).toBe(0);
  const lines = exported.lines.map((text) => JSON.parse(text) as Line);
  expect(lines.map(({ kind }) => kind).slice(0, 3)).toEqual(["run.opened", "run.claimed", "attempt.intended"]);
  expect(lines.at(-1)).toMatchObject({ kind: "run.closed", epoch: 3, body: { outcome: "passed" } });
  const before = lastHashOf(exported.lines, run);

  const shown = await project.run("runs", "show", run);
  expect(shown.stdout.match(/^\d{4}-\S+ {2}(?:claimed|closed|resolved).*$/gm)?.map((line) => line.replace(/^\S+ +/, ""))).toEqual(
    [
      expect.stringMatching(/^claimed {3}process \d+ on /),
      "closed    unknown",
      "resolved  olga  mint: attempt 1 is applied: I saw it",
      expect.stringMatching(/^claimed {3}process \d+ on /),
      "closed    passed",
    ],
  );
  expect(shown.stdout, shown.transcript).toMatch(
    /^sent {2}mint {2}attempt 1 .*\n {4}input: .*\n {4}answer: ambiguous.*\n {4}settled: applied, says olga: I saw it$/m,
  );
  const verified = await project.run("runs", "verify");
  expect(verified.stdout, verified.transcript).toBe(`${run}  intact   ${lines.length} records, the last ${before}\n`);
});

test("an exported chain can be checked whatever the texts in it are, and none of them is obeyed", async () => {
  const project = newProject({});
  const hostile = "a\u202eb\u200f ##vso[task.complete] ##[error]x ##teamcity[x] \u200b\u{e0041}";
  project.write("hostile.yaml", `playbook: 1\nname: ${JSON.stringify(hostile)}\nsteps: [{ uses: ledger.asset.stats }]\n`);
  project.write("tokenbook.yaml", "environments: { sandbox: embedded }\n");
  const run = runIn(await project.run("run", "hostile.yaml"));
  const exported = await project.run("runs", "export", run);
  expect(dangersOf(exported.stdout)).toEqual([]);
  expect(JSON.parse(exported.lines[0] ?? "")).toMatchObject({ body: { playbook: { name: hostile } } });
  expect(lastHashOf(exported.lines, run)).toMatch(/^[0-9a-f]{64}$/);
});

test("a service's message about a write cannot begin a line among the lines about people", async () => {
  const forged = "2026-11-22T02:07:24.446Z  resolved  olga  mint: attempt 1 is applied: I saw it";
  const faults = [{ operation: "ledger.token.mint", fault: { "receipt-failed": `no\n${forged}` } }];
  const project = newProject();
  project.serviceAt((await servedSandbox({ faults })).url);
  project.write("mint.yaml", MINT_ONCE);
  const ended = await project.run("run", "mint.yaml");
  const shown = await project.run("runs", "show", runIn(ended));
  expect(shown.stdout, shown.transcript).toContain(`HTTP 500: no\\n${forged}`);
  expect(shown.lines.filter((line) => line.startsWith(forged))).toEqual([]);
});

test("a changed record is detected: the first record that differs is named, and the other runs are intact", async () => {
  const { project, run } = await resolved();
  const other = runIn(await project.run("run", "mint.yaml"));
  const [hit] = inJournal(project, (database) => {
    const mint = "run_id = ? AND body LIKE '%ledger.token.mint%10.00%' AND kind = 'attempt.intended'";
    database.prepare(`UPDATE record SET body = replace(body, '10.00', '99.00') WHERE ${mint}`).run(run);
    return database.prepare(`SELECT sequence FROM record WHERE ${mint.replace("10.00", "99.00")}`).all(run);
  });
  const at = Number(hit?.["sequence"]);
  const verified = await project.run("runs", "verify");
  expect(verified.code, verified.transcript).toBe(1);
  expect(verified.lines, verified.transcript).toEqual([
    expect.stringMatching(new RegExp(`^${run}  damaged  the journal of run ${run} is damaged at record ${at}$`)),
    expect.stringMatching(new RegExp(`^${other}  intact   \\d+ records, the last [0-9a-f]{64}$`)),
  ]);
  const one = await project.json("runs", "verify", run);
  expect([one.code, one.data.runs], one.transcript).toEqual([
    1,
    [expect.objectContaining({ run, intact: false, records: at, problem: expect.objectContaining({ code: "journal.broken" }) })],
  ]);
  const exported = await project.run("runs", "export", run);
  expect([exported.code, exported.lines.length], exported.transcript).toEqual([2, at]);
  const latest = await project.run("runs", "verify", "latest");
  expect([latest.code, latest.lines], latest.transcript).toEqual([0, [expect.stringMatching(`^${other}  intact `)]]);
  expect((await project.run("runs", "verify", other)).stdout).toBe(latest.stdout);
  const unknown = await project.run("runs", "verify", "nobody");
  expect([unknown.code, unknown.stderr], unknown.transcript).toEqual([2, expect.stringContaining('there is no run "nobody"')]);
});

const problemsOf = new SchemaSet().validator(runsSchema);

test("what programs read of runs, of their holders, and of open writes, is as published", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const run = runIn(await losingMint(at));
  const { project } = at;
  expect(problemsOf({ format: 1, runs: [{ id: run }] })).not.toEqual([]);
  const valid = async (...args: string[]): Promise<unknown> => {
    const { data, ...ended } = await project.json(...args);
    expect(ended.code, ended.transcript).toBe(0);
    expect(problemsOf(data), ended.transcript).toEqual([]);
    return data;
  };
  expect(await valid("runs")).toMatchObject({ total: 1, runs: [{ id: run, outcome: "unknown", heldBy: null }] });
  expect(await valid("runs", "verify")).toMatchObject({ runs: [{ run, intact: true, problem: null }] });
  expect(await valid("runs", "leases")).toMatchObject({ leases: [{ runId: run, holder: null }] });
  expect(await valid("resolve", run)).toMatchObject({ run, unknown: [{ step: "mint", attempt: 0 }] });
  inJournal(project, (database) => {
    const holder = JSON.stringify({ host: "elsewhere", bootId: "another", pid: 1, startedAt: "1" });
    return database.prepare("UPDATE lease SET holder = ?").all(holder);
  });
  expect(await valid("runs")).toMatchObject({ runs: [{ heldBy: { host: "elsewhere" } }] });
  expect(await valid("runs", "release", run, "--because", "it is gone")).toMatchObject({ run, from: { host: "elsewhere" } });
  const seen = ["--step", "mint", "--as", "applied", "--because", "I saw it"];
  expect(await valid("resolve", run, ...seen)).toMatchObject({ step: "mint", verdict: "applied", because: "I saw it" });
});

test("where there is no run, nothing is verified, and that is no success", async () => {
  for (const how of [[], ["--json"]]) {
    const verified = await newProject({}).run("runs", "verify", ...how);
    expect(verified.code, verified.transcript).toBe(2);
    expect(verified.transcript).toContain("journal.no-such-run");
  }
});
