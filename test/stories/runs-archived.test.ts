import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import runsSchema from "../../schemas/runs.schema.json" with { type: "json" };
import { SchemaSet } from "../../src/schema/validator.ts";
import { DRIFTING, inJournal } from "./desk.ts";
import { embeddedCommits, launch, newProject, type Project, ROOT, runIn, until } from "./world.ts";
import { viewing } from "./viewing.ts";

const CREATE = `playbook: 1
name: Create
defaults: { as: { ledger: "userId:alice" } }
inputs: { name: { type: string, default: none } }
steps:
  - id: create
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ inputs.name }}-\${{ run.key }}" } }
`;
const LOOK = "playbook: 1\nname: Look\nsteps: [{ uses: ledger.asset.stats }]\n";

function project(): Project {
  const made = newProject({});
  made.write("tokenbook.yaml", "environments: { sandbox: embedded }\n");
  made.write("create.yaml", CREATE);
  made.write("look.yaml", LOOK);
  return made;
}

async function ran(at: Project, ...args: string[]): Promise<string> {
  const ended = await at.run("run", ...args);
  expect(ended.code, ended.transcript).toBe(0);
  return runIn(ended);
}

const ARCHIVE = ["runs", "archive", "--older", "0s", "--to", "archives"];
const FIRST = "tokenbook-archive-000001.ndjson";

test("an old run moves into an archive that `runs show` names, and its key begins no second run", async () => {
  const at = project();
  const paid = await ran(at, "create.yaml", "--key", "ORDER-17");
  const last = await ran(at, "create.yaml");
  const young = await at.run("runs", "archive", "--older", "1d", "--to", "archives");
  expect([young.code, young.stdout], young.transcript).toEqual([0, "no run was archived\n"]);
  const exported = await at.run("runs", "export", paid);
  const archived = await at.run(...ARCHIVE);
  expect(archived.code, archived.transcript).toBe(0);
  expect(archived.lines, archived.transcript).toEqual([
    `archived  1 run, ${exported.lines.length} records`,
    `  file    ${join(at.folder, "archives", FIRST)}`,
    expect.stringMatching(/^ {2}digest {2}[0-9a-f]{64}$/),
    "kept      1 older run in the journal",
    "  1  the last run of its playbook in its environment",
    "to verify: tokenbook runs verify --archive archives",
  ]);
  expect(readFileSync(join(at.folder, "archives", FIRST), "utf8")).toContain(exported.stdout);
  expect((await at.json("runs")).data.runs.map(({ id }) => id)).toEqual([last]);

  const named = `the run ${paid}, which ended passed, is in the archive ${join(at.folder, "archives", FIRST)}`;
  for (const args of [
    ["runs", "show", paid],
    ["runs", "export", paid.slice(-8)],
    ["resume", paid],
    ["report", paid, "--format", "md"],
  ]) {
    const ended = await at.run(...args);
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(named)]);
  }
  const read = await at.run("runs", "export", paid.slice(-8), "--archive", "archives");
  expect([read.code, read.stdout], read.transcript).toEqual([0, exported.stdout]);
  const again = await at.run("run", "create.yaml", "--key", "ORDER-17");
  expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining(`the key names the run ${paid}`)]);
  const keyed = await at.run("runs", "show", "ORDER-17");
  expect([keyed.code, keyed.stderr], keyed.transcript).toEqual([2, expect.stringContaining(`the key names the run ${paid}`)]);
  expect(await embeddedCommits(at)).toHaveLength(2);
});

test("what the journal keeps of an archived run is compared with the archive", async () => {
  const at = project();
  const paid = await ran(at, "create.yaml", "--key", "ORDER-17");
  await ran(at, "create.yaml");
  expect((await at.run(...ARCHIVE)).code).toBe(0);
  const verify = ["runs", "verify", "--archive", "archives"];
  const intact = await at.run(...verify);
  expect([intact.code, intact.stdout], intact.transcript).toEqual([0, expect.stringContaining(`${FIRST}  intact `)]);
  const archived = 'ended passed, and has the key "ORDER-17"';
  for (const [sql, says] of [
    ["UPDATE archived_run SET key = NULL", `the run ${paid} ended passed, and has no key, and ${FIRST} says that it ${archived}`],
    ["UPDATE archived_run SET outcome = 'failed'", `the run ${paid} ended failed, and has the key "ORDER-17", and ${FIRST} says`],
    ["DELETE FROM archived_run", `the run ${paid} is not in this archive, and ${FIRST} says that it ${archived}`],
    ["UPDATE archived_run SET id = 'another'", `the run ${paid} is not in this archive, and ${FIRST} says that it ${archived}`],
    ["DELETE FROM proof", "the journal no longer lists "],
  ] as const) {
    const restore = inJournal(at, (database) => {
      const tables = ["archived_run", "proof"].map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()] as const);
      database.exec(sql);
      return tables;
    });
    const damaged = await at.run(...verify);
    expect([damaged.code, damaged.stdout], damaged.transcript).toEqual([1, expect.stringContaining(says)]);
    expect(damaged.stdout, damaged.transcript).toMatch(new RegExp(`^${FIRST}  differs  `));
    inJournal(at, (database) => {
      for (const [name, rows] of restore) {
        database.exec(`DELETE FROM ${name}`);
        for (const row of rows)
          database
            .prepare(
              `INSERT INTO ${name} VALUES (${Object.keys(row)
                .map(() => "?")
                .join(", ")})`,
            )
            .run(...Object.values(row));
      }
    });
  }
});

test("rows with archived runs are not run again, and the command continues with the others", async () => {
  const at = project();
  at.write(
    "create.yaml",
    `${CREATE}  - { uses: ledger.asset.get, with: { assetType: Property, id: "\${{ steps.create.id }}" }, expect: [inputs.name != "bad"] }\n`,
  );
  at.write("rows.csv", "name\na\nbad\nc\n");
  const each = ["run", "create.yaml", "--each", "rows.csv", "--jobs", "1"];
  const first = await at.run(...each);
  expect(first.lines.at(-1), first.transcript).toMatch(/^3 rows: (?=.*2 passed)(?=.*1 failed)/);
  expect((await at.run(...ARCHIVE)).code).toBe(0);
  at.write("rows.csv", "name\na\nbad\nc\nd\n");
  const again = await at.run(...each);
  expect([again.code, again.lines.at(-1)], again.transcript).toEqual([
    1,
    "4 rows: 3 passed, 1 not begun (2 passed before and were not run again)",
  ]);
  expect(again.stdout, again.transcript).toMatch(
    /✗ not begun {2}rows\.csv:3: the run \S+ of this row ended failed, and was archived since\n {4}next: look at what it has written/,
  );
  expect(again.stderr, again.transcript).toBe("1 row passed in a run that was archived since, and no report shows it\n");
  expect(await embeddedCommits(at)).toHaveLength(4);
  const failed = await at.run(...each, "--failed");
  expect([failed.code, failed.lines.at(-1)], failed.transcript).toEqual([1, "1 of 4 rows: 1 not begun"]);
});

test("a run stays in the journal if it shows that an earlier run is done, so that `resume` does not continue the earlier run", async () => {
  const at = project();
  const waiting = `${CREATE}  - { id: wait, uses: ledger.asset.get, with: { assetType: Property, id: "\${{ steps.create.id }}" }, until: response.id == "no", timeout: 1ms, on_timeout: pending }\n`;
  at.write("create.yaml", waiting);
  const first = await at.run("run", "create.yaml", "--input", "name=a");
  expect(first.code, first.transcript).toBe(4);
  at.write("create.yaml", waiting.replace("response.id ==", "response.id !="));
  await ran(at, "create.yaml", "--input", "name=a");
  await ran(at, "create.yaml", "--input", "name=a");
  await ran(at, "create.yaml", "--input", "name=b");
  const archived = await at.run(...ARCHIVE);
  expect(archived.lines.slice(-5, -1), archived.transcript).toEqual([
    "kept      3 older runs in the journal",
    "  1  not finished, pending or unknown",
    "  1  passed with the same inputs as an earlier run that has not passed",
    "  1  the last run of its playbook in its environment",
  ]);
  const resumed = await at.run("resume");
  expect([resumed.code, resumed.stderr], resumed.transcript).toEqual([2, expect.stringContaining("resume.done-since")]);
});

test("the page of an archived run shows its archive, and the command that reads it", async () => {
  const at = project();
  const old = await ran(at, "look.yaml");
  await ran(at, "look.yaml");
  await at.run(...ARCHIVE);
  const { get } = await viewing(at);
  for (const path of [`runs/${old}`, `runs/${old}/events`]) {
    const page = await get(path);
    const text = await page.text();
    expect([page.status, text]).toEqual([404, expect.stringContaining(join(at.folder, "archives", FIRST))]);
    expect(text).toContain(`tokenbook runs show ${old} --archive`);
  }
});

test("a run that a drift names stays in the journal until the drift is gone", async () => {
  const at = project();
  at.write("drifting.yaml", DRIFTING);
  const runs: string[] = [];
  for (const _ of [1, 2, 3, 4]) {
    const ended = await at.run("run", "drifting.yaml");
    expect(ended.code, ended.transcript).toBe(3);
    runs.push(runIn(ended));
  }
  const archived = await at.run(...ARCHIVE);
  expect(archived.stdout, archived.transcript).toContain("  1  the first or last run that saw a drift that is still open\n");
  expect((await at.json("runs")).data.runs.map(({ id }) => id)).toEqual([runs[3], runs[0]]);
});

test("while another process archives, commands list and verify the runs, and report none as damaged or missing", async () => {
  const at = project();
  await ran(at, "look.yaml");
  const archiver = launch(
    [join(ROOT, "test/unit/journal/other-process.ts"), join(at.folder, ".tokenbook"), join(at.folder, "archives"), "archives"],
    { cwd: at.folder },
  );
  while ((await Promise.race([archiver.ended, nextTurn("under way")])) === "under way") {
    for (const command of [["runs"], ["runs", "verify"], ["runs", "show", "latest"], ["doctor"]]) {
      const looked = await at.run(...command);
      expect(looked.code, looked.transcript).toBe(0);
    }
  }
  const { code, transcript } = await archiver.ended;
  expect(code, transcript).toBe(0);
});

const problemsOf = new SchemaSet().validator(runsSchema);

test("the JSON output about archives fits its published schema", async () => {
  const at = project();
  for (const name of ["a", "b", "c"]) {
    await ran(at, "look.yaml");
    const archived = await at.json(...ARCHIVE);
    expect(problemsOf(archived.data), archived.transcript).toEqual([]);
    expect(archived.data, archived.transcript).toMatchObject({
      archives: name === "a" ? [] : [{ runs: [expect.any(String)], wasBegun: false }],
      kept: [{ because: "last of its playbook" }],
    });
  }
  const verified = await at.json("runs", "verify", "--archive", "archives");
  expect([verified.code, problemsOf(verified.data)], verified.transcript).toEqual([0, []]);
  expect(verified.data).toMatchObject({
    archives: [
      { number: 1, intact: true },
      { number: 2, intact: true },
    ],
  });
  const incomplete = await at.run("runs", "archive", "--to", "archives");
  expect([incomplete.code, incomplete.stderr], incomplete.transcript).toEqual([2, expect.stringContaining("archive.incomplete")]);
  const nowhere = await at.run("runs", "verify", "--archive", "nowhere");
  expect([nowhere.code, nowhere.stderr], nowhere.transcript).toEqual([2, expect.stringContaining("cannot be read")]);
});

function sealedAgain(text: string): string {
  const lines = text.split("\n");
  const before = lines
    .slice(0, -2)
    .map((line) => `${line}\n`)
    .join("");
  return `${before}${lines.at(-2)?.replace(/(?<="digest":")\w+/, hash("sha256", before))}\n`;
}

const PYTHON = ["python3", "python"].find(
  (name) => spawnSync(name, ["-c", "import sys; sys.exit(sys.version_info < (3,))"]).status === 0,
);

test.skipIf(PYTHON === undefined)("a Python script verifies archives with the same result as tokenbook", async () => {
  const at = project();
  for (const name of ["a", "b", "c"]) {
    await ran(at, "create.yaml", "--input", `name=${name}é\u2028`);
    if (name !== "a") await ran(at, "look.yaml");
    await at.run(...ARCHIVE);
  }
  const folder = join(at.folder, "archives");
  const [first = "", second = ""] = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));
  const elsewhere = newProject({});
  const both = async (): Promise<{
    readonly intact: readonly boolean[];
    readonly codes: readonly unknown[];
    readonly said: string;
  }> => {
    const script = spawnSync(PYTHON ?? "", [join(ROOT, "docs/verify-archive.py"), folder], { encoding: "utf8" });
    const own = await elsewhere.run("runs", "verify", "--archive", folder);
    const intactIn = (text: string): readonly boolean[] =>
      [...text.matchAll(/ndjson {2}(intact|damaged) /g)].map(([, word]) => word === "intact");
    expect(intactIn(script.stdout), script.stdout + own.transcript).toEqual(intactIn(own.stdout));
    const intact = script.stdout.split("\n").filter((line) => intactIn(line)[0]);
    expect(own.lines, "both say it in the same words").toEqual(expect.arrayContaining(intact));
    return { intact: intactIn(own.stdout), codes: [script.status, own.code], said: script.stdout };
  };
  const whole = await both();
  expect([whole.intact, whole.codes]).toEqual([
    [true, true],
    [0, 0],
  ]);
  for (const { digest } of inJournal(at, (database) => database.prepare("SELECT digest FROM archive").all()))
    expect(whole.said).toContain(digest);
  const text = readFileSync(first, "utf8");
  const attacks: readonly (readonly [string, (text: string) => string])[] = [
    ["a changed record", (each) => each.replace("Property", "Propertx")],
    ["a changed run", (each) => each.replace('"outcome":"passed"', '"outcome":"failed"')],
    ["a removed line", (each) => each.split("\n").toSpliced(3, 1).join("\n")],
    ["a cut file", (each) => each.slice(0, -300)],
    ["nothing", () => ""],
    ["a note in the seal", (each) => each.replace('"kind":"archive.sealed",', '"kind":"archive.sealed","note":"paid",')],
    ["a space in the seal", (each) => each.replace('"kind":"archive.sealed",', '"kind":"archive.sealed", ')],
    // Whoever changed the archive has sealed it again.
    ["another outcome", (each) => sealedAgain(each.replace('"outcome":"passed"', '"outcome":"failed"'))],
    ["another playbook", (each) => sealedAgain(each.replace('"playbook":"create.yaml"', '"playbook":"pay-all.yaml"'))],
    ["another environment", (each) => sealedAgain(each.replace('"environment":"sandbox"', '"environment":"production"'))],
    ["another year", (each) => sealedAgain(each.replace(/"openedAt":"\d+/, '"openedAt":"2020'))],
    ["an outcome twice", (each) => sealedAgain(each.replace('"outcome":"passed"', '"outcome":"failed","outcome":"passed"'))],
    ["a field more", (each) => sealedAgain(each.replace('"kind":"archive.run",', '"kind":"archive.run","note":"paid",'))],
  ];
  for (const [attack, change] of attacks) {
    writeFileSync(first, change(text));
    const { intact, codes } = await both();
    expect([intact, codes], attack).toEqual([
      [false, true],
      [1, 1],
    ]);
  }
  // No record contains the changed time. But the next archive does not follow from the changed one, and the journal knows the digest of the original.
  writeFileSync(first, sealedAgain(text.replace(/"sealedAt":"\d+/, '"sealedAt":"2020')));
  expect(await both()).toMatchObject({ intact: [true, false], codes: [1, 1] });
  const known = await at.run("runs", "verify", "--archive", folder);
  expect(known.lines[0], known.transcript).toMatch(
    /^tokenbook-archive-000001.ndjson {2}damaged .* is not the archive that the journal wrote/,
  );
  writeFileSync(first, text);
  rmSync(second);
  expect(await both()).toMatchObject({ intact: [true], codes: [0, 0] });
  const missing = await at.run("runs", "verify", "--archive", folder);
  expect([missing.code, missing.lines[1]], missing.transcript).toEqual([
    1,
    expect.stringContaining("000002.ndjson is missing in"),
  ]);
  // The journal has written both, so nothing says that it has written none of them.
  writeFileSync(first, text.replace("archive", "archiv"));
  const damaged = await at.run("runs", "verify", "--archive", folder);
  expect([damaged.code, damaged.stderr], damaged.transcript).toEqual([1, ""]);
});

test("after a kill of `runs archive`, each run is in the journal or in an archive, and a repeat completes the rest", async () => {
  const at = project();
  const runs: string[] = [];
  for (let each = 0; each < 6; each++) runs.push(await ran(at, "look.yaml"));
  const file = join(at.folder, "archives", FIRST);
  const inFile = (): string => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  let kills = 0;
  for (let pause = 0; kills < 8; pause += 40) {
    const archiving = at.start(...ARCHIVE);
    // The first kills hit as soon as the file exists, the later ones at any moment.
    if (kills < 4) await Promise.race([until(() => (inFile() === "" ? undefined : true)), archiving.ended]);
    else await new Promise((done) => void setTimeout(done, pause));
    await archiving.signal("SIGKILL");
    const { code } = await archiving.ended;
    kills++;
    const kept = new Set((await at.json("runs")).data.runs.map(({ id }) => id));
    const sealed = inFile();
    for (const run of runs) expect(kept.has(run) || sealed.includes(`"kind":"run.closed"`), `${run} after ${code}`).toBe(true);
    expect(runs.filter((run) => !kept.has(run) && !sealed.includes(`"run":"${run}"`))).toEqual([]);
  }
  const repeated = await at.run(...ARCHIVE);
  expect(repeated.code, repeated.transcript).toBe(0);
  const verified = await at.run("runs", "verify", "--archive", "archives");
  expect([verified.code, verified.stdout], verified.transcript).toEqual([0, expect.stringMatching(/intact {3}5 runs/)]);
  expect((await at.json("runs")).data.runs.map(({ id }) => id)).toEqual([runs.at(-1)]);
  expect((await at.run("runs", "verify")).code).toBe(0);
});
