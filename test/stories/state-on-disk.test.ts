import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inJournal } from "./desk.ts";
import type { RunReport } from "../../src/report/shape.ts";
import { embeddedCommits, newProject, type Project, ROOT } from "./world.ts";

// A state directory that a build of November 2026 wrote, with the data of its sandbox. It has two runs that have passed, and two that were killed
// after a write of each interface took effect and before its answer was recorded.
const FOLDER = join(ROOT, "test/fixtures/state");
const KILLED = { "buy.yaml": "buy", "mint.yaml": "mint" } as const;

function projectWithState(): Project {
  const project = newProject({});
  const state = join(project.folder, ".tokenbook");
  mkdirSync(state);
  for (const name of ["journal.db", "sandbox.db"])
    writeFileSync(join(state, name), gunzipSync(readFileSync(join(FOLDER, `${name}.gz`))));
  copyFileSync(join(FOLDER, "journal.tail"), join(state, "journal.tail"));
  for (const name of Object.keys(KILLED)) project.write(name, readFileSync(join(FOLDER, name), "utf8"));
  // tokenbook cannot see whether a process on another machine is alive.
  inJournal(project, (database) =>
    database.prepare("UPDATE lease SET holder = json_set(holder, '$.host', ?) WHERE holder IS NOT NULL").run(hostname()),
  );
  return project;
}

test("runs of an earlier build are listed, verified, and resumed: a lost answer of each interface is found on the service", async () => {
  const project = projectWithState();
  const { data, transcript } = await project.json("runs");
  const runs = data.runs.map(({ playbook, outcome }) => `${playbook} ${outcome}`);
  expect(runs, transcript).toEqual(["buy.yaml not finished", "mint.yaml not finished", "buy.yaml passed", "mint.yaml passed"]);
  const verified = await project.run("runs", "verify");
  expect([verified.code, verified.stdout.match(/ {2}intact {3}/g)?.length], verified.transcript).toEqual([0, 4]);

  for (const { id, playbook } of data.runs.slice(0, 2)) {
    const step = KILLED[playbook as keyof typeof KILLED];
    const resumed = await project.run("resume", id);
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toMatch(new RegExp(`changed +${step} .*\n +attempt 1: applied, as read back`));
  }
  // A duration does not include the time since the earlier build was killed. Conditions that the earlier build judged have no values.
  for (const { id } of data.runs) {
    const shown = await project.run("report", id, "--format", "json");
    const { steps } = JSON.parse(shown.stdout).reports[0] as RunReport;
    for (const { step, durationMs, held } of steps) {
      expect([step, durationMs], shown.transcript).toEqual([step, expect.toSatisfy((ms: number) => ms < 3_600_000)]);
      if (data.runs.slice(2).some((run) => run.id === id)) expect(held).toBeNull();
    }
  }
  const written = (await embeddedCommits(project)).map(({ operation }) => operation).toSorted();
  expect(written, "each write took effect once").toEqual([
    "investor.sales.buy",
    "investor.sales.buy",
    "ledger.token.create",
    "ledger.token.create",
    "ledger.token.mint",
    "ledger.token.mint",
  ]);
});

test.for(Object.entries(KILLED))(
  "beside the write that an earlier build left open in %s no other run of it begins",
  async ([playbook, step]) => {
    const project = projectWithState();
    const refused = await project.run("run", playbook);
    expect(refused.code, refused.transcript).toBe(6);
    expect(refused.stderr, refused.transcript).toContain(`left a write open: it is unknown whether "${step}"`);
  },
);

test("a purchase that an earlier build left open keeps another playbook from buying of the same sale as the same actor", async () => {
  const project = projectWithState();
  project.write("other.yaml", readFileSync(join(FOLDER, "buy.yaml"), "utf8").replace("id: buy", "id: purchase"));
  const refused = await project.run("run", "other.yaml");
  expect(refused.code, refused.transcript).toBe(6);
  expect(refused.stderr, refused.transcript).toContain("to the same sale saleActive1");
});
