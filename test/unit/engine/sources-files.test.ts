import { appendFileSync, linkSync, symlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import type { OutsideRow } from "../../../src/rows/outside.ts";
import { readOutside } from "../../../src/rows/read.ts";
import { HOLDERS, Register } from "./sources.ts";

const EXACT = "12345678901234567890.000000000000000001";
const TABLE = `holder,balance,note\nalice,100.5,"two\nlines"\nbob,${EXACT},\n`;
const LINES = `{"holder":"alice","balance":100.50,"other":{}}\n\n{"holder":"bob","balance":"${EXACT}"}\n`;

const csv = (path: string, more = ""): string => `{ csv: ${path}, ${HOLDERS}${more} }`;
const ndjson = (path: string): string => `{ ndjson: ${path}, ${HOLDERS} }`;

const never = (): never => expect.fail("a file needs none of it");

/** What a reader of outside rows gets from the run. Reading a file needs none of it. */
const NOTHING_MORE = {
  columns: [],
  cwd: ".",
  secret: never,
  exchange: never,
  pause: never,
  signal: new AbortController().signal,
};

test("files are compared exactly, with or without compression, and their rows are counted", async () => {
  const register = new Register();
  for (const rows of [
    csv(register.write("a.csv", TABLE)),
    csv(register.write("a.csv.gz", gzipSync(TABLE))),
    ndjson(register.write("a.ndjson", LINES)),
    ndjson(register.write("a.ndjson.gz", Buffer.concat([gzipSync(LINES.slice(0, 20)), gzipSync(LINES.slice(20))]))),
  ]) {
    const { outcome, found, gap } = await register.compare(rows);
    expect(gap, rows).toBe("");
    expect(outcome, rows).toBe("passed");
    expect(found.left).toMatchObject({ rows: 2, keys: 2, sum: "12345678901234567990.500000000000000001" });
  }
});

test("a drift names the line of its row, and a corrected file clears the drift", async () => {
  const register = new Register();
  const path = register.write("a.csv", TABLE.replace("100.5,", "100.51,"));
  const { outcome, found } = await register.compare(csv(path));
  expect(outcome).toBe("drift");
  expect(found.drifts).toMatchObject([{ kind: "differs", key: { holder: "alice" }, left: "100.51", right: "100.5" }]);
  register.write("a.csv", TABLE);
  const again = await register.compare(csv(path));
  expect(again.outcome).toBe("passed");
  expect(again.found.cleared).toHaveLength(1);
});

test("a file that cannot be read to its end makes the comparison incomplete, and the message says why", async () => {
  const register = new Register();
  const packed = gzipSync(TABLE.repeat(1_000));
  const cases: readonly (readonly [string, string])[] = [
    [
      csv(`${register.folder}/none.csv`),
      "source.unreadable: FOLDER/none.csv does not exist; a path here begins at the folder of the playbook",
    ],
    [
      csv(register.write("cut.gz", packed.subarray(0, packed.length - 9))),
      "source.unreadable: FOLDER/cut.gz is cut off: its gzip data ends too early; write or copy it again",
    ],
    [
      csv(register.write("behind.gz", Buffer.concat([packed, Buffer.from([0, 1, 2, 3, 4, 5, 6, 7])]))),
      "source.unreadable: FOLDER/behind.gz is damaged",
    ],
    [csv("behind.gz"), "source.unreadable: behind.gz is damaged"],
    [
      csv(register.write("head.csv", "holder,amount\nalice,1\n")),
      'source.columns: FOLDER/head.csv lacks the column "balance"; its columns: holder, amount',
    ],
    [csv(register.write("empty.csv", "")), "source.unreadable: FOLDER/empty.csv:1: the file is empty"],
    [
      csv(register.write("latin.csv", Buffer.from("holder,balance\nal\xefce,1\n", "latin1"))),
      "source.unreadable: FOLDER/latin.csv is no text in UTF-8",
    ],
    [
      csv(register.write("ragged.csv", "holder,balance\nalice,1\nbob\n")),
      "source.unreadable: FOLDER/ragged.csv:3: the row has 1 cell, and the header 2",
    ],
    [
      csv(register.write("long.csv", `holder,balance\n"${"x".repeat(1_100_000)}`)),
      "source.unreadable: FOLDER/long.csv:2: the row has more than 1,048,576 bytes",
    ],
    [
      csv(register.write("cells.csv", "holder,balance\nalice,1\nbob,\ncarol,1.000,5\n".replace("1.000,5", '"1,5"'))),
      "reconcile.row: FOLDER/cells.csv:3 (row.balance) is empty, and must have a value, and 1 row more does not fit",
    ],
    [
      csv(register.write("number.csv", 'holder,balance\nalice,"1,5"\n')),
      'reconcile.row: FOLDER/number.csv:2 (row.balance) must be of type decimal, and is "1,5" (digits and a point, such as 1000.50: no zeros in front, no separator of thousands, no currency, no space)',
    ],
    [
      csv(register.write("text.csv", 'holder,balance\nalice,1\n,5\n"",5\n')),
      "reconcile.row: FOLDER/text.csv:3 (row.holder) is empty, and must have a value, and 1 row more does not fit",
    ],
    [
      ndjson(register.write("a.ndjson", '{"holder":"alice","balance":1}\n{"holder":"bob","balance":null}\n[1]\nx\n')),
      'reconcile.row: FOLDER/a.ndjson:2 (row) lacks the field "balance", and 2 rows more do not fit',
    ],
    [
      ndjson(register.write("twice.ndjson", '{"holder":"alice","balance":5,"balance":100.5}\n')),
      'reconcile.row: FOLDER/twice.ndjson:1 is no JSON: the name "balance" is twice in one object',
    ],
    [
      ndjson(register.write("long.ndjson", `{"holder":"${"x".repeat(1_100_000)}`)),
      "source.unreadable: FOLDER/long.ndjson cannot be read: line 1 has more than 1,048,576 characters",
    ],
    [csv(register.folder), "file.not-regular: FOLDER is a folder, and only regular files are read"],
  ];
  for (const [rows, message] of cases) {
    const { outcome, gap, found } = await register.compare(rows);
    expect(gap).toContain(message.replace("FOLDER", register.folder));
    expect(outcome).toBe("failed");
    expect(found.drifts).toEqual([]);
  }
});

test("an empty cell and null count as absent if the field is optional", async () => {
  const register = new Register();
  const optional = ", required: [holder]";
  const list = "[{'holder': 'alice', 'balance': 1}]";
  for (const rows of [
    csv(register.write("a.csv", "holder,balance\nalice,1\nbob,\n"), optional),
    `{ ndjson: ${register.write("a.ndjson", '{"holder":"alice","balance":1}\n{"holder":"bob","balance":null}\n')}, ${HOLDERS}${optional} }`,
  ]) {
    const { gap } = await register.compare(rows, { list });
    expect(gap, "the value of the key is asked for").toContain("balance");
    const { outcome } = await register.compare(`${rows}, where: has(row.balance)`, { list });
    expect(outcome).toBe("passed");
  }
});

test("in a table of one column, an empty line is no row, and an empty cell in quotes is a row", async () => {
  const register = new Register();
  const path = register.write("a.csv", 'holder\n\nalice\n\n""\n\n');
  const rows: OutsideRow[] = [];
  for await (const batch of readOutside({ kind: "csv", path }, { ...NOTHING_MORE, columns: ["holder"] })) rows.push(...batch);
  expect(rows).toMatchObject([
    { at: `${path}:3`, record: { holder: "alice" } },
    { at: `${path}:5`, record: { holder: "" } },
  ]);
});

test("a file that grows while it is read is not compared", async () => {
  const register = new Register();
  const path = register.write("a.csv", TABLE + "x,1,\n".repeat(20_000));
  const reading = register.compare(csv(path), {
    observe: ({ kind }) => kind === "step.reading" && appendFileSync(path, "y,1,\n"),
  });
  const { gap, outcome } = await reading;
  expect(gap).toBe(
    `source.changed: ${path} changed while it was read; write it under another name, and rename it when it is complete`,
  );
  expect(outcome).toBe("failed");
});

/** Makes a SQLite file that belongs to another program. */
function database(register: Register, name = "r.db", settings = ""): { path: string; connection: DatabaseSync } {
  const path = `${register.folder}/${name}`;
  const connection = new DatabaseSync(path);
  connection.exec(`${settings} CREATE TABLE t (holder TEXT, balance TEXT, big INTEGER, raw BLOB);
    INSERT INTO t VALUES ('alice', '100.5', 9007199254740993, x'00'), ('bob', '${EXACT}', 2, NULL), ('carol', NULL, 3, NULL)`);
  return { path, connection };
}

const sqlite = (path: string, query: string, more = ""): string => `{ sqlite: ${path}, query: "${query}", ${HOLDERS}${more} }`;

test("a SQLite file is read exactly, also while another process has it open", async () => {
  const register = new Register();
  const query = "SELECT holder, balance FROM t WHERE balance IS NOT NULL";
  for (const settings of ["", "PRAGMA journal_mode = WAL;"]) {
    const { path, connection } = database(register, `r${settings.length}.db`, settings);
    const open = await register.compare(sqlite(path, query));
    expect([open.outcome, open.gap]).toEqual(["passed", ""]);
    connection.close();
    const closed = await register.compare(sqlite(path, query));
    expect([closed.outcome, closed.gap]).toEqual(["passed", ""]);
  }
  const { path } = database(register, "big.db");
  const big = await register.compare(sqlite(path, "SELECT holder, big AS balance FROM t WHERE holder = 'alice'"), {
    list: "[{'holder': 'alice', 'balance': 9007199254740993}]",
  });
  expect([big.outcome, big.gap]).toEqual(["passed", ""]);
});

test("a SQLite file is read with its log, also through a link", async () => {
  const register = new Register();
  const query = "SELECT holder, balance FROM t WHERE balance IS NOT NULL";
  const { path, connection } = database(register, "r.db", "PRAGMA journal_mode = WAL;");
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET balance = '999' WHERE holder = 'alice'");
  const named = `${register.folder}/named.db`;
  symlinkSync(path, named);
  const again = `${register.folder}/again.db`;
  symlinkSync(named, again);
  for (const name of [path, named, again]) {
    const { outcome, found } = await register.compare(sqlite(name, query));
    expect(outcome, name).toBe("drift");
    expect(found.drifts, name).toMatchObject([{ key: { holder: "alice" }, left: "999", right: "100.5" }]);
  }
});

test("a SQLite file with several hard links is refused, because its log may be beside another name", async () => {
  const register = new Register();
  for (const settings of ["", "PRAGMA journal_mode = WAL;"]) {
    const { path } = database(register, `r${settings.length}.db`, settings);
    const other = `${register.folder}/other${settings.length}.db`;
    linkSync(path, other);
    for (const name of [path, other]) {
      const { outcome, gap } = await register.compare(sqlite(name, "SELECT holder, balance FROM t"));
      expect(outcome, name).toBe("failed");
      expect(gap).toBe(
        `source.unreadable: ${name} is one of 2 names of the same file (hard links): what changed lately may lie beside another name; name a copy that its program made, such as a backup`,
      );
    }
  }
});

test("a query of a SQLite file can only read, and the message says what is wrong with its result", async () => {
  const register = new Register();
  const { path, connection } = database(register);
  const other = `${register.folder}/other.db`;
  const cases: readonly (readonly [string, string])[] = [
    ["INSERT INTO t (holder) VALUES ('x') RETURNING holder, balance", "source.refused: the query was refused: not authorized"],
    [
      "WITH x AS (SELECT 1) UPDATE t SET balance = 1 RETURNING holder, balance",
      "source.refused: the query was refused: not authorized",
    ],
    ["DELETE FROM t", "source.refused: the query was refused: not authorized"],
    [`ATTACH DATABASE '${other}' AS o`, "source.refused: the query was refused: not authorized"],
    [`ATTACH DATABASE 'file:${other}?mode=rwc' AS o`, "source.refused: the query was refused: not authorized"],
    ["PRAGMA user_version = 7", "source.refused: the query was refused: not authorized"],
    ["PRAGMA query_only = OFF", "source.refused: the query was refused: not authorized"],
    ["VACUUM INTO '/tmp/x.db'", "source.refused: the query was refused: it gives no rows"],
    ["SELECT load_extension('x') AS holder, 1 AS balance", "source.refused: the query was refused: "],
    [
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS holder, i AS balance FROM n",
      "source.refused: the query was refused: not authorized",
    ],
    [
      "SELECT holder, balance FROM t; DELETE FROM t",
      "source.refused: the query was refused: something follows its first statement",
    ],
    ["SELECT hex(zeroblob(9000000)) AS holder, 1 AS balance", "source.refused: the query was refused: string or blob too big"],
    ["SELECT holder FROM t", 'source.columns: the query lacks the column "balance"; its columns: holder'],
    ["SELECT holder, balance, balance FROM t", 'source.columns: the query has two columns "balance"'],
    ["SELECT holder, balance FROM none", "source.refused: the query was refused: no such table: none"],
    ["SELEKT", "source.refused: the query was refused: near"],
    ["SELECT holder, balance FROM t", 'reconcile.row: row 3 (holder: carol) (row) lacks the field "balance"'],
    [
      "SELECT CAST(x'616cff' AS TEXT) AS holder, 1 AS balance",
      'reconcile.row: row 1 (holder: al\uFFFD) has a text that is no UTF-8 in its column "holder"',
    ],
    [
      "SELECT holder, raw AS balance FROM t",
      'reconcile.row: row 1 (holder: alice) has bytes in its column "balance": select a text or a number, and 2 rows more do not fit',
    ],
  ];
  for (const [query, message] of cases) {
    const { outcome, gap } = await register.compare(sqlite(path, query));
    expect(gap, query).toContain(message);
    expect(outcome, query).toBe("failed");
  }
  expect(connection.prepare("SELECT count(*) AS n, (SELECT user_version FROM pragma_user_version) AS v FROM t").get()).toEqual({
    n: 3,
    v: 0,
  });
  const { gap } = await register.compare(sqlite(register.write("no.db", "holder,balance\n"), "SELECT 1"));
  expect(gap).toBe(`source.unreadable: ${register.folder}/no.db is no SQLite database; name the file of one`);
});

test("a query that takes too long is stopped", async () => {
  const register = new Register();
  const { path, connection } = database(register);
  connection.exec("INSERT INTO t SELECT 'h', '1', 1, NULL FROM t, t, t, t, t, t, t, t");
  const { gap } = await register.compare(sqlite(path, "SELECT a.holder, a.balance FROM t a, t b, t c", ", timeout: 1ms"));
  expect(gap).toBe("source.slow: the query took longer than 1 ms; make it cheaper, or set a longer `timeout`");
});

test("the timeout of a query does not include the time in which its rows are used", async () => {
  const { path, connection } = database(new Register());
  connection.exec("INSERT INTO t SELECT 'h', '1', 1, NULL FROM t, t, t, t, t, t, t, t");
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  let rows = 0;
  for await (const batch of readOutside({ kind: "sqlite", path, query: "SELECT * FROM t", timeoutMs: 1_000 }, NOTHING_MORE)) {
    rows += batch.length;
    now += 3_600_000;
  }
  expect(rows).toBe(3 ** 8 + 3);
});
