import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { desk, losingMint } from "./desk.ts";
import { type Proxy, proxyTo } from "./proxy.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { MINT_ONCE, newProject, operationsOf, type Project, runIn, servedSandbox, type Service } from "./world.ts";

interface Damage {
  readonly name: string;
  /** The sequence number of the record that is damaged. */
  readonly record: number;
  readonly sql: string;
}

const DAMAGES: readonly Damage[] = [
  {
    name: "a digit of an id is another",
    record: 3,
    sql: "UPDATE record SET body = replace(body, '\"status\":201', '\"status\":200') WHERE sequence = 3",
  },
  {
    name: "a bracket is gone, so that it is no JSON any more",
    record: 4,
    sql: "UPDATE record SET body = '(' || substr(body, 2) WHERE sequence = 4",
  },
  { name: "its time is another", record: 2, sql: "UPDATE record SET at = at + 1 WHERE sequence = 2" },
  { name: "it is missing", record: 5, sql: "DELETE FROM record WHERE sequence = 5" },
  { name: "the opening is missing", record: 0, sql: "DELETE FROM record WHERE sequence = 0" },
  { name: "its kind is another", record: 8, sql: "UPDATE record SET kind = 'step.skipped' WHERE sequence = 8" },
];

describe("a record of the journal is damaged", () => {
  test("resume and runs show name the record, and send nothing", async () => {
    const { service, proxy, project, run } = await pendingRun();
    const journal = join(project.folder, ".tokenbook/journal.db");
    const sent = proxy.seen.length;
    const commits = await service.commits();
    expect(operationsOf(commits)).toEqual(["ledger.asset.create", "ledger.transfer.request"]);
    for (const { name, record, sql } of DAMAGES) {
      const restore = damage(journal, sql);
      for (const args of record === 3 ? [["resume"], ["resume", run], ["runs", "show", run]] : [["resume"]]) {
        const ended = await project.run(...args);
        const transcript = `${name}\n${ended.transcript}`;
        expect(ended.code, transcript).toBe(2);
        expect(ended.stdout, transcript).toBe("");
        expect(ended.stderr, transcript).toMatch(
          new RegExp(`^error journal\\.broken\\n {2}the journal of run ${run} is damaged at record ${record}\\n`),
        );
        expect(ended.stderr, transcript).toMatch(/next: /);
      }
      restore();
    }
    expect(proxy.seen).toHaveLength(sent);
    expect(await service.commits()).toEqual(commits);
    const repaired = await project.run("resume");
    expect(repaired.code, repaired.transcript).toBe(4);
  });
});

const LOSSES = [
  { name: "the tail is missing", files: ["journal.tail"], says: "may have lost records" },
  { name: "the journal is missing", files: ["journal.db", "journal.db-wal", "journal.db-shm"], says: "has lost records" },
] as const;

const OPENING = (run: string): readonly (readonly string[])[] => [
  ["run", "hand-over.yaml"],
  ["resume"],
  ["resume", run],
  ["resolve", run],
  ["resolve", run, "--step", "request", "--as", "applied", "--because", "I saw it"],
  ["runs"],
  ["runs", "show", run],
  ["runs", "verify"],
  ["runs", "export", run],
  ["runs", "leases"],
  ["runs", "release", run, "--because", "gone"],
  ["report", run, "--format", "json"],
  ["doctor"],
  ["schedule", "list"],
  ["schedule", "hand-over.yaml", "--once"],
  ["view"],
];

test.for(LOSSES)("no command continues as if nothing had happened when $name", async ({ files, says }) => {
  const { service, proxy, project, run } = await pendingRun();
  const state = join(project.folder, ".tokenbook");
  for (const file of files) rmSync(join(state, file), { force: true });
  const commits = await service.commits();
  const writes = (): readonly string[] => proxy.seen.filter((name) => !name.startsWith("GET "));
  const sent = writes();
  for (const args of OPENING(run)) {
    const ended = await project.run(...args);
    expect([0, null], ended.transcript).not.toContain(ended.code);
    expect(ended.stdout + ended.stderr, ended.transcript).toContain(says);
    expect(ended.stdout + ended.stderr, ended.transcript).toContain("tokenbook runs accept-loss --because TEXT");
  }
  expect(writes()).toEqual(sent);
  expect(await service.commits()).toEqual(commits);
});

test("accepting the loss closes unfinished runs, lets others begin, and leaves a note in doctor", async () => {
  const { project, run } = await pendingRun();
  rmSync(join(project.folder, ".tokenbook/journal.tail"));
  const unsaid = await project.run("runs", "accept-loss");
  expect([unsaid.code, unsaid.stderr], unsaid.transcript).toEqual([2, expect.stringContaining("loss.incomplete")]);
  const accepted = await project.run("runs", "accept-loss", "--because", "I compared the ledger");
  expect(accepted.code, accepted.transcript).toBe(0);
  for (const args of [
    ["resume", run],
    ["resolve", run, "--step", "request", "--as", "applied", "--because", "seen"],
  ]) {
    const refused = await project.run(...args);
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("journal.lost-run")]);
  }
  const nothing = await project.run("resume");
  expect([nothing.code, nothing.stdout], nothing.transcript).toEqual([
    0,
    expect.stringContaining("cannot be resumed because somebody accepted"),
  ]);
  const begun = await project.run("run", "hand-over.yaml");
  expect(begun.code, begun.transcript).toBe(4);
  const doctor = await project.run("doctor");
  expect(doctor.stdout, doctor.transcript).toContain("I compared the ledger");
  const again = await project.run("runs", "accept-loss", "--because", "again");
  expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining("loss.nothing")]);
});

async function pendingRun(): Promise<{ service: Service; proxy: Proxy; project: Project; run: string }> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("hand-over.yaml", approvalPlaybook("    timeout: 1ms\n    on_timeout: pending"));
  const ended = await project.run("run", "hand-over.yaml");
  expect(ended.code, ended.transcript).toBe(4);
  return { service, proxy, project, run: runIn(ended) };
}

// Returns a function that undoes the damage.
function damage(file: string, sql: string): () => void {
  const database = new DatabaseSync(file);
  const changed = (): number =>
    Number(database.prepare("SELECT count(*) AS n FROM (SELECT * FROM kept EXCEPT SELECT * FROM record)").get()?.["n"]);
  database.exec(`CREATE TEMP TABLE kept AS SELECT * FROM record; ${sql}`);
  expect(changed(), sql).toBe(1);
  return () => {
    database.exec("DELETE FROM record; INSERT INTO record SELECT * FROM kept");
    database.close();
  };
}

test("an open write keeps no run back once its loss is accepted", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const { project } = at;
  await losingMint(at);
  const beside = await project.run("run", "mint.yaml");
  expect(beside.code, beside.transcript).toBe(6);
  rmSync(join(project.folder, ".tokenbook/journal.tail"));
  await project.run("runs", "accept-loss", "--because", "the mint is there");
  // The person's word settles what the records leave open.
  const verified = await project.run("runs", "verify");
  expect(verified.code, verified.transcript).toBe(0);
  const begun = await project.run("run", "mint.yaml");
  expect(begun.code, begun.transcript).toBe(0);
});

// The chain covers only the records, but these rows decide which runs may begin, and what counts as evidence.
const CONTRADICTIONS: readonly (readonly [sql: string, says: string])[] = [
  ["UPDATE run SET outcome = 'failed'", "says that it ended failed, and its records say that it ended passed"],
  ["UPDATE run SET key = NULL", 'says that its key is none, and its records say that its key is "ORDER-1"'],
  ["UPDATE run SET key = 'ORDER-2'", 'says that its key is "ORDER-2", and its records say that its key is "ORDER-1"'],
  [
    "UPDATE run SET identity = './b.yaml'",
    'says that its playbook is "./b.yaml", and its records say that its playbook is "./mint.yaml"',
  ],
  ["UPDATE run SET playbook = 'b.yaml'", 'says that its file is "b.yaml", and its records say that its file is "mint.yaml"'],
  ["UPDATE run SET environment = 'b'", 'says that its environment is "b", and its records say that its environment is "sandbox"'],
  [
    "UPDATE run SET opened_at = 8640000000000001",
    "says that it began at 8640000000000001, and its records say that it began at 2",
  ],
  ["UPDATE run SET opened_at = 0", "says that it began at 1970-01-01T00:00:00.000Z, and its records say that it began at 2"],
  [
    "UPDATE run SET written_until = 0",
    "says that others may find its writes until 1970-01-01T00:00:00.000Z, and its records say that others may find its writes until 2",
  ],
  ["DELETE FROM proof", "the journal no longer lists "],
];

test("rows that contradict the records of their run are damage, even if the chain is intact", async () => {
  const project = newProject({});
  project.write("tokenbook.yaml", "environments: { sandbox: embedded }\n");
  project.write("mint.yaml", MINT_ONCE);
  const run = runIn(await project.run("run", "mint.yaml", "--key", "ORDER-1"));
  const intact = await project.run("runs", "verify");
  expect([intact.code, intact.stdout], intact.transcript).toEqual([0, expect.stringContaining(`${run}  intact `)]);
  const journal = new DatabaseSync(join(project.folder, ".tokenbook/journal.db"));
  journal.exec("CREATE TEMP TABLE kept AS SELECT * FROM run; CREATE TEMP TABLE proven AS SELECT * FROM proof");
  for (const [sql, says] of CONTRADICTIONS) {
    journal.exec(sql);
    const damaged = await project.run("runs", "verify");
    expect([damaged.code, damaged.stdout], damaged.transcript).toEqual([1, expect.stringContaining(says)]);
    expect(damaged.stdout, damaged.transcript).toMatch(new RegExp(`^${run}  damaged `));
    journal.exec("PRAGMA foreign_keys = OFF; DELETE FROM run; INSERT INTO run SELECT * FROM kept");
    journal.exec("DELETE FROM proof; INSERT INTO proof SELECT * FROM proven");
  }
  journal.close();
});

test("a row that contradicts its run's records about the end of the run is damage, even if the chain is intact", async () => {
  const { project, run } = await pendingRun();
  const intact = await project.run("runs", "verify");
  expect(intact.code, intact.transcript).toBe(0);
  const journal = new DatabaseSync(join(project.folder, ".tokenbook/journal.db"));
  journal.exec("UPDATE run SET outcome = 'passed', settled = 1");
  journal.close();
  const damaged = await project.run("runs", "verify");
  expect([damaged.code, damaged.stdout], damaged.transcript).toEqual([
    1,
    expect.stringContaining(
      `${run}  damaged  the row of run ${run} says that it ended passed, and its records say that it ended pending`,
    ),
  ]);
});
