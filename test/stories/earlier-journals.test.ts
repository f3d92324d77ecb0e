import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inJournal } from "./desk.ts";
import { embeddedCommits, newProject, type Project, ROOT } from "./world.ts";

// A journal of each earlier format, with a run that has passed, and a run that has written once and waits to write again.
const FOLDER = join(ROOT, "test/stories/journals");
const JOURNALS = readdirSync(FOLDER).filter((name) => name.endsWith(".db.gz"));
const PLAYBOOK = readFileSync(join(FOLDER, "record.yaml"), "utf8");

function projectWith(journal: string): Project {
  const project = newProject({});
  mkdirSync(join(project.folder, ".tokenbook"));
  writeFileSync(join(project.folder, ".tokenbook/journal.db"), gunzipSync(readFileSync(join(FOLDER, journal))));
  const tail = join(FOLDER, journal.replace(".db.gz", ".tail"));
  if (existsSync(tail)) copyFileSync(tail, join(project.folder, ".tokenbook/journal.tail"));
  project.write("record.yaml", PLAYBOOK);
  return project;
}

test.for(JOURNALS)("the journal of %s loses no record, and its run continues where it was", async (journal) => {
  const project = projectWith(journal);
  const { data, transcript } = await project.json("runs");
  expect(
    data.runs.map(({ outcome }) => outcome),
    transcript,
  ).toEqual(["pending", "passed"]);
  const verified = await project.run("runs", "verify");
  expect(verified.code, verified.transcript).toBe(0);
  expect(verified.stdout, verified.transcript).toMatch(/^\S+ {2}intact .*\n\S+ {2}intact .*\n$/);

  // The sandbox of that journal is gone, and a new sandbox does not know the first step. So a repetition of that step would be visible.
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toContain("1 of 3 steps done before");
  const key = /-(\w{8})$/m.exec(data.runs[0]?.id ?? "")?.[1] ?? "";
  expect((await embeddedCommits(project)).map(({ body }) => body)).toEqual([
    { assetType: "Property", data: { id: `B${key}`, first: `A${key}` } },
  ]);
  const shown = await project.run("runs", "show", data.runs[0]?.id ?? "");
  expect(shown.stdout, shown.transcript).toContain('"shares":"12345678901234567890.50"');
  expect(inJournal(project, (database) => database.prepare("PRAGMA user_version").get())).toEqual({
    user_version: JOURNALS.length,
  });
});

// Versions before the sixth format recorded a holder without a lock.
const HOLDER = { host: "elsewhere", bootId: "12b2a624-4138-4721-9f10-2f17d1014f92", pid: 2485, startedAt: "2492159" };

test("a holder of an earlier version, which has no lock, counts as alive by its host and its boot", async () => {
  const project = projectWith("version-4.db.gz");
  const hold = (holder: object): unknown =>
    inJournal(project, (database) => database.prepare("UPDATE lease SET holder = ?").run(JSON.stringify(holder)));
  hold(HOLDER);
  const held = await project.run("resume");
  expect([held.code, held.stderr], held.transcript).toEqual([6, expect.stringContaining("is held by process 2485 on elsewhere")]);
  hold({ ...HOLDER, host: hostname() });
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
});

test("a run whose journal kept no text of its playbook is not resumed with an edited one", async () => {
  const project = projectWith("version-1.db.gz");
  project.write("record.yaml", `${PLAYBOOK}  - { uses: ledger.status }\n`);
  const resumed = await project.run("resume");
  expect([resumed.code, resumed.stderr], resumed.transcript).toEqual([2, expect.stringContaining("resume.playbook-changed")]);
});
