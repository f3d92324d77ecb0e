import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Proxy, proxyTo } from "./proxy.ts";
import { approvalPlaybook, newProject, operationsOf, type Project, runIn, sandboxProcess, type Service } from "./world.ts";

interface Damage {
  readonly name: string;
  /** Which record is hit, by its sequence. */
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
  test("the run is not resumed, the record is named, and nothing is sent", async () => {
    const { service, proxy, project, run } = await pendingRun();
    const journal = join(project.folder, ".tokenbook/journal.db");
    const sent = proxy.seen.length;
    const commits = await service.commits();
    expect(operationsOf(commits)).toEqual(["ledger.asset.create", "ledger.transfer.request"]);
    for (const { name, record, sql } of DAMAGES) {
      const restore = damage(journal, sql);
      for (const args of record === 3 ? [["resume"], ["resume", run], ["runs", "show", run]] : [["resume"]]) {
        const ended = await project.run(...args);
        const told = `${name}\n${ended.told}`;
        expect(ended.code, told).toBe(2);
        expect(ended.stdout, told).toBe("");
        expect(ended.stderr, told).toMatch(
          new RegExp(`^error journal\\.broken\\n {2}the journal of run ${run} is damaged at record ${record}\\n`),
        );
        expect(ended.stderr, told).toMatch(/next: /);
      }
      restore();
    }
    expect(proxy.seen).toHaveLength(sent);
    expect(await service.commits()).toEqual(commits);
    const mended = await project.run("resume");
    expect(mended.code, mended.told).toBe(4);
  });
});

async function pendingRun(): Promise<{ service: Service; proxy: Proxy; project: Project; run: string }> {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("hand-over.yaml", approvalPlaybook("    timeout: 1ms\n    on_timeout: pending"));
  const ended = await project.run("run", "hand-over.yaml");
  expect(ended.code, ended.told).toBe(4);
  return { service, proxy, project, run: runIn(ended) };
}

// Gives what undoes it.
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
