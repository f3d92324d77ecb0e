import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { isPrivateThere } from "../../src/files/private.ts";
import { ATTACKS, expectRefused, IS_ROOT, newVictim, NOBODY, worked } from "./hostile-files.ts";
import { MINT_ONCE, newProject, temporaryFolder } from "./world.ts";

// The test attacks each file that a run leaves in each way, so that it also attacks a new file without a new test.

const STATE = ".tokenbook";

test("a run, a comparison and a schedule leave files that only their owner may read", async () => {
  const { folder } = await worked();
  const names = readdirSync(join(folder, STATE));
  expect(names).toEqual(
    expect.arrayContaining(["journal.db", "journal.tail", "sandbox.db", "schedule.db", "drift.db", "holders"]),
  );
  for (const name of names) expect([name, statSync(join(folder, STATE, name)).mode & 0o077]).toEqual([name, 0]);
});

describe.each(ATTACKS)("$name takes the place of a file of the state directory", ({ lay, needsRoot = false }) => {
  test.skipIf(needsRoot && !IS_ROOT)(
    "commands refuse it by its name without waiting, and leave its target unchanged",
    async () => {
      const project = await worked();
      const state = join(project.folder, STATE);
      const kept = readdirSync(state).filter((name) => name !== "holders");
      const beside = kept
        .filter((name) => name.endsWith(".db"))
        .flatMap((name) => [`${name}-wal`, `${name}-shm`, `${name}-journal`]);
      for (const name of new Set([...kept, ...beside])) {
        const path = join(state, name);
        const saved = `${path}.saved`;
        const isThere = kept.includes(name);
        if (isThere) renameSync(path, saved);
        const victim = newVictim();
        lay(path, victim.path);
        const ran = await project.runEach(commandsFor(name, isThere));
        const transcript = `${name}\n${ran.map((each) => each.transcript).join("\n")}`;
        for (const each of ran) {
          expect([1, 2], transcript).toContain(each.code);
          expect(each.transcript, transcript).toContain(name);
        }
        victim.assertUntouched(transcript);
        rmSync(path, { recursive: true, force: true });
        if (isThere) renameSync(saved, path);
      }
    },
  );
});

// Returns the commands that open a file of that name. Each of them opens a file that is new.
function commandsFor(name: string, isThere: boolean): readonly (readonly string[])[] {
  const opens = [
    { begins: ["journal", "sandbox"], args: ["run", "mint.yaml"] },
    { begins: ["drift"], args: ["run", "comparing.yaml"] },
    { begins: ["schedule"], args: ["schedule", "--once", "ticking.yaml"] },
  ];
  const known = opens.filter(({ begins }) => begins.some((begin) => name.startsWith(begin)));
  return [...(known.length > 0 ? known : opens).map(({ args }) => args), ...(isThere ? [["doctor"]] : [])];
}

test("commands refuse a state directory that is a link", async () => {
  const project = await worked();
  const real = join(temporaryFolder(), "state");
  renameSync(join(project.folder, STATE), real);
  symlinkSync(real, join(project.folder, STATE));
  const before = readdirSync(real).map((name) => [name, statSync(join(real, name)).mtimeMs]);
  for (const command of [
    ["run", "mint.yaml"],
    ["runs"],
    ["runs", "verify"],
    ["resume", "latest"],
    ["schedule", "list"],
    ["drift", "list"],
  ])
    expectRefused(await project.run(...command), /\.tokenbook is a link, and no folder/);
  const doctor = await project.run("doctor");
  expect(doctor.code, doctor.transcript).toBe(1);
  expect(doctor.stdout, doctor.transcript).toContain("is a link, and no folder");
  expect(readdirSync(real).map((name) => [name, statSync(join(real, name)).mtimeMs])).toEqual(before);
});

test("a dangling link as the journal creates no file at its target", async () => {
  const project = newProject({});
  const folder = temporaryFolder();
  project.write("mint.yaml", MINT_ONCE);
  mkdirSync(join(project.folder, STATE));
  symlinkSync(join(folder, "made.db"), join(project.folder, STATE, "journal.db"));
  expectRefused(await project.run("run", "mint.yaml"), /journal\.db is a link, and no regular file/);
  expect(readdirSync(folder)).toEqual([]);
});

test.skipIf(!IS_ROOT)("commands refuse a state directory of another user, and doctor reports it", async () => {
  const project = await worked();
  chownSync(join(project.folder, STATE), NOBODY, NOBODY);
  expectRefused(await project.run("run", "mint.yaml"), /\.tokenbook belongs to user 65534, who is neither you nor root/);
  const doctor = await project.run("doctor");
  expect(doctor.code, doctor.transcript).toBe(1);
  expect(doctor.stdout, doctor.transcript).toContain("belongs to user 65534");
});

test("a file of the state that this user cannot look at is refused, and no bug is reported", () => {
  // Root may enter each folder, so the test takes a name that no file system has.
  const path = join(temporaryFolder(), "x".repeat(300));
  expect(() => isPrivateThere(path)).toThrow(
    expect.objectContaining({ code: "state.unusable", message: expect.stringMatching(/x cannot be read: .*ENAMETOOLONG/) }),
  );
});

test("doctor reports files that others may write or read, and the next run removes these permissions", async () => {
  const project = await worked();
  const state = join(project.folder, STATE);
  const names = readdirSync(state);
  for (const [mode, code, says] of [
    [0o666, 1, "other users may write"],
    [0o644, 0, "other users may read"],
  ] as const) {
    for (const name of names) chmodSync(join(state, name), name === "holders" ? mode | 0o111 : mode);
    chmodSync(state, mode | 0o111);
    const doctor = await project.run("doctor");
    expect(doctor.code, doctor.transcript).toBe(code);
    expect(doctor.stdout, doctor.transcript).toContain(says);
    for (const args of [
      ["run", "comparing.yaml"],
      ["run", "mint.yaml"],
      ["schedule", "--once", "ticking.yaml"],
    ]) {
      const ended = await project.run(...args);
      expect(ended.code, ended.transcript).toBe(0);
    }
    for (const path of [state, ...readdirSync(state).map((name) => join(state, name))])
      expect([path, lstatSync(path).mode & 0o077]).toEqual([path, 0]);
    const after = await project.run("doctor");
    expect(after.stdout, after.transcript).not.toContain("other users may");
  }
});

test("a state directory that others may write and that holds other files is refused, and stays unchanged", async () => {
  const project = newProject({});
  project.write("mint.yaml", MINT_ONCE);
  project.write("shared/readme.txt", "for everybody");
  chmodSync(join(project.folder, "shared"), 0o777);
  expectRefused(
    await project.run("run", "mint.yaml", "--state", "shared"),
    /shared may be written by every user of this machine/,
  );
  expect(readdirSync(join(project.folder, "shared"))).toEqual(["readme.txt"]);
  expect(statSync(join(project.folder, "shared")).mode & 0o777).toBe(0o777);
  chmodSync(join(project.folder, "shared"), 0o755);
  const ended = await project.run("run", "mint.yaml", "--state", "shared");
  expect(ended.code, ended.transcript).toBe(0);
  expect(statSync(join(project.folder, "shared")).mode & 0o777).toBe(0o755);
});

describe("a database of the state directory that somebody changed", () => {
  const TABLES = [
    { file: "journal.db", args: [["run", "mint.yaml"], ["runs", "verify"], ["runs"], ["resume", "latest"], ["doctor"]] },
    { file: "drift.db", args: [["run", "comparing.yaml"], ["drift", "list"], ["doctor"]] },
    { file: "schedule.db", args: [["schedule", "--once", "ticking.yaml"], ["schedule", "list"], ["doctor"]] },
    { file: "sandbox.db", args: [["run", "mint.yaml"]] },
  ] as const;

  test.each(TABLES)("$file is refused if it has a foreign trigger, view or table, or lacks an index", async ({ file, args }) => {
    const project = await worked();
    const path = join(project.folder, STATE, file);
    const whole = readFileSync(path);
    for (const [says, change] of [
      ["it holds the trigger spoil", spoilTable],
      ["it holds the view everything", () => "CREATE VIEW everything AS SELECT * FROM sqlite_schema"],
      ["it holds the table more", () => "CREATE TABLE more (x)"],
      ["is missing", dropTable],
    ] as const) {
      const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
      database.exec(change(database));
      database.close();
      for (const each of args) {
        const ended = await project.run(...each);
        expect([1, 2], ended.transcript).toContain(ended.code);
        expect(ended.stdout + ended.stderr, ended.transcript).toMatch(
          new RegExp(`${file} is not as tokenbook made it: .*${says}`),
        );
      }
      for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
      writeFileSync(path, whole);
    }
    const ended = await project.run(...args[0]);
    expect(ended.code, ended.transcript).toBe(0);
  });

  function firstTable(database: DatabaseSync): string {
    const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
    return String(rows[0]?.["name"]);
  }

  function spoilTable(database: DatabaseSync): string {
    const table = firstTable(database);
    return `CREATE TRIGGER spoil AFTER INSERT ON "${table}" BEGIN DELETE FROM "${table}"; END`;
  }

  function dropTable(database: DatabaseSync): string {
    const index = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").get();
    return index === undefined ? `DROP TABLE "${firstTable(database)}"` : `DROP INDEX "${String(index["name"])}"`;
  }
});

test("a link, a pipe or another file among the locks is neither opened nor removed", async () => {
  const project = await worked();
  const holders = join(project.folder, STATE, "holders");
  const victim = newVictim();
  symlinkSync(victim.path, join(holders, "00.lock"));
  execFileSync("mkfifo", [join(holders, "01.lock")]);
  writeFileSync(join(holders, "notes of mine.lock"), "");
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  victim.assertUntouched(ended.transcript);
  expect(readdirSync(holders)).toContain("notes of mine.lock");
  rmSync(holders, { recursive: true });
  symlinkSync(join(victim.path, ".."), holders);
  expectRefused(await project.run("run", "mint.yaml"), /holders is a link, and no folder/);
  victim.assertUntouched("");
});
