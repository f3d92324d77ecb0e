import { afterAll, beforeAll, expect, test } from "vitest";
import { HOLDERS, Register } from "../unit/engine/sources.ts";
import { BINARIES, PostgresServer } from "./server.ts";

const EXACT = "12345678901234567890.000000000000000001";
const TABLES = `
CREATE TABLE register (id int PRIMARY KEY, holder text, balance numeric, paid boolean, changed timestamptz);
INSERT INTO register VALUES (1, 'alice', 100.50, true, '2026-01-01 12:00:00.123456+02'), (2, 'bob', ${EXACT}, false, NULL), (3, 'carol', NULL, NULL, NULL);
CREATE SEQUENCE counter;
CREATE FUNCTION sly() RETURNS text LANGUAGE sql AS $$ INSERT INTO register VALUES (9, 'mallory', 1, NULL, NULL) RETURNING holder $$;
CREATE FUNCTION slyer() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('transaction_read_only', 'off', false); INSERT INTO register VALUES (9, 'mallory', 1, NULL, NULL); RETURN 'x'; END $$;
CREATE ROLE reader LOGIN; GRANT SELECT ON register TO reader; CREATE TABLE hidden (holder text, balance numeric);`;

const HAS_BALANCE = "SELECT id, holder, balance FROM register WHERE balance IS NOT NULL ORDER BY id";

const postgres = (query: string, more = `, ${HOLDERS}`): string => `{ postgres: env:REGISTER, query: "${query}"${more} }`;

let server: PostgresServer;
beforeAll(async () => {
  if (BINARIES === undefined) return;
  server = await PostgresServer.start();
  await server.query(TABLES);
});
afterAll(() => server?.remove());

const at = (user = "tester"): { variables: Record<string, string> } => ({
  variables: { REGISTER: server.address(user).replace("a-password", "a-secret-password") },
});

test.skipIf(BINARIES === undefined)("a query is compared exactly, and a drift names its row", async () => {
  const register = new Register();
  const same = await register.compare(postgres(HAS_BALANCE), at());
  expect([same.outcome, same.gap]).toEqual(["passed", ""]);
  expect(same.found.left).toMatchObject({ rows: 2, sum: "12345678901234567990.500000000000000001" });
  const drift = await register.compare(postgres("SELECT id, holder, balance + 0.01 AS balance FROM register WHERE id < 3"), at());
  expect(drift.found.drifts).toMatchObject([
    { key: { holder: "alice" } },
    { key: { holder: "bob" }, left: "12345678901234567890.010000000000000001" },
  ]);
});

test.skipIf(BINARIES === undefined)("a text with bytes that are no UTF-8 makes the comparison incomplete", async () => {
  await server.query("CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII'");
  const rows = (holder: string): string => postgres(`SELECT holder, balance FROM (VALUES (${holder}, 1)) AS t (holder, balance)`);
  const bytes = await new Register().compare(rows("E'al\\\\377'"), {
    variables: { REGISTER: server.address().replace(/postgres$/, "bytes") },
  });
  expect(bytes.gap).toMatch(/invalid byte sequence for encoding "UTF8": 0xff; correct the text in the database/);
  const replaced = await new Register().compare(rows("'al' || chr(65533)"), at());
  expect(replaced.gap).toContain('row 1 (holder: al\uFFFD) has a text that is no UTF-8 in its column "holder"');
});

test.skipIf(BINARIES === undefined)("times and booleans have the form of playbooks, and NULL is a missing value", async () => {
  const shapes =
    ", required: [holder], properties: { holder: { type: string }, balance: { type: decimal }, paid: { type: boolean }, changed: { type: string } }";
  const { outcome, gap } = await new Register().compare(
    `${postgres("SELECT holder, balance, paid, changed FROM register ORDER BY id", shapes)}, where: "has(row.paid) && row.paid && row.changed == '2026-01-01T10:00:00.123456Z'"`,
    { ...at(), list: "[{'holder': 'alice', 'balance': decimal('100.5')}]" },
  );
  expect([outcome, gap]).toEqual(["passed", ""]);
});

test.skipIf(BINARIES === undefined)(
  "values are read as they are stored, whatever the role sets, and either all rows or none",
  async () => {
    await server.query(`CREATE ROLE rounding LOGIN; GRANT SELECT ON register TO rounding;
    ALTER ROLE rounding SET extra_float_digits = -15; ALTER ROLE rounding SET DateStyle = 'German, DMY'; ALTER ROLE rounding SET TimeZone = 'Asia/Tokyo';
    ALTER ROLE rounding SET IntervalStyle = 'sql_standard'; ALTER ROLE rounding SET bytea_output = 'escape'; ALTER ROLE rounding SET transform_null_equals = on;
    CREATE TABLE shared (holder text, balance numeric, owner text); INSERT INTO shared VALUES ('alice', 100.5, 'rounding'), ('bob', 1, 'tester');
    GRANT SELECT ON shared TO rounding; ALTER TABLE shared ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON shared USING (owner = current_user);
    CREATE VIEW visible AS SELECT holder, balance FROM shared WHERE owner = 'rounding'; GRANT SELECT ON visible TO rounding;`);
    const register = new Register();
    const values =
      "0.1::float8 + 0.2::float8 AS balance, concat_ws(' ', timestamptz '2026-01-01 12:00Z', interval '1 day 2 hours', right(decode('01', 'hex')::text, 3)) AS holder";
    const stored = await register.compare(postgres(`SELECT ${values}`), {
      ...at("rounding"),
      list: "[{'holder': '2026-01-01 12:00:00+00 1 day 02:00:00 x01', 'balance': decimal('0.30000000000000004')}]",
    });
    expect([stored.outcome, stored.gap, stored.found.drifts]).toEqual(["passed", "", []]);
    const none = await register.compare(postgres("SELECT holder, balance FROM register WHERE balance = NULL"), at("rounding"));
    expect(none.found.left).toMatchObject({ rows: 0 });
    const left = await register.compare(postgres("SELECT holder, balance FROM shared"), at("rounding"));
    expect(left.gap).toBe(
      'source.refused: the database refused the query: query would be affected by row-level security policy for table "shared"; let a user read it who sees all rows (ALTER ROLE USER BYPASSRLS), or compare a view that belongs to such a user',
    );
    const view = await register.compare(postgres("SELECT holder, balance FROM visible"), {
      ...at("rounding"),
      list: "[{'holder': 'alice', 'balance': 100.5}]",
    });
    expect([view.outcome, view.gap]).toEqual(["passed", ""]);
  },
);

test.skipIf(BINARIES === undefined)("a query that writes is refused with a reason", async () => {
  const register = new Register();
  const cases: readonly (readonly [string, string])[] = [
    ["INSERT INTO register VALUES (9) RETURNING holder, balance", "source.refused: the database refused the query: syntax error"],
    [
      "WITH x AS (DELETE FROM register RETURNING *) SELECT holder, balance FROM x",
      "source.refused: the database refused the query: DECLARE CURSOR must not contain data-modifying statements in WITH",
    ],
    [
      "SELECT sly() AS holder, 1 AS balance",
      "source.refused: the database refused the query: cannot execute INSERT in a read-only transaction",
    ],
    [
      "SELECT slyer() AS holder, 1 AS balance",
      "source.refused: the database refused the query: transaction read-write mode must be set before any query",
    ],
    [
      "SELECT nextval('counter')::text AS holder, 1 AS balance",
      "source.refused: the database refused the query: cannot execute nextval() in a read-only transaction",
    ],
    ["SELECT holder, balance FROM register FOR UPDATE", "source.refused: the database refused the query: "],
    [
      "SELECT 1; DELETE FROM register",
      "source.refused: the database refused the query: cannot insert multiple commands into a prepared statement",
    ],
    [
      "SELECT 1; COMMIT; DELETE FROM register; BEGIN",
      "source.refused: the database refused the query: cannot insert multiple commands into a prepared statement",
    ],
    ["SELECT holder, balance INTO stolen FROM register", "source.refused: the database refused the query: "],
    ["SELECT holder FROM register", 'source.columns: the query lacks the column "balance"; its columns: holder'],
    ["SELECT holder FROM register WHERE false", 'source.columns: the query lacks the column "balance"'],
    ["SELECT holder, balance, balance FROM register", 'source.columns: the query has two columns "balance"'],
    ["SELECT id, holder, balance FROM register ORDER BY id", 'reconcile.row: row 3 (id: 3) (row) lacks the field "balance"'],
    ["SELECT holder, balance / 0 AS balance FROM register", "source.refused: the database refused the query: division by zero"],
  ];
  for (const [query, message] of cases) {
    const { outcome, gap } = await register.compare(postgres(query), at());
    expect(gap, query).toContain(message);
    expect(outcome, query).toBe("failed");
  }
  const denied = await register.compare(postgres("SELECT holder, balance FROM hidden"), at("reader"));
  expect(denied.gap).toContain("permission denied for table hidden");
  const [left] = await server.query("SELECT count(*)::int AS rows, (SELECT is_called FROM counter) AS called FROM register");
  expect(left).toEqual({ rows: 3, called: false });
});

test.skipIf(BINARIES === undefined)(
  "a server that is slow or away makes the comparison incomplete, and shows no password",
  async () => {
    const register = new Register();
    const slow = await register.compare(
      postgres("SELECT pg_sleep(60)::text AS holder, 1 AS balance", `, timeout: 200ms, ${HOLDERS}`),
      at(),
    );
    expect(slow.gap).toContain("source.slow: the query took longer than 200 ms");
    const nobody = await register.compare(postgres(HAS_BALANCE), at("nobody"));
    expect(nobody.gap).toContain('source.unreachable: the database cannot be reached: role "nobody" does not exist');
    const away = await register.compare(postgres(HAS_BALANCE), {
      variables: { REGISTER: "postgres://u:a-secret-password@127.0.0.1:9/db" },
    });
    expect(away.gap).toContain("source.unreachable: the database cannot be reached: connect ECONNREFUSED 127.0.0.1:9; make sure");
    const noPort = "postgres://u:a-secret-password@127.0.0.1:99999/db";
    const wrong = await Promise.all(
      ["a-secret-password", noPort].map((REGISTER) => register.compare(postgres(HAS_BALANCE), { variables: { REGISTER } })),
    );
    for (const { gap } of wrong) expect(gap).toContain("source.unreachable: the address of the database is wrong; write it so");
    for (const { outcome, gap } of [slow, nobody, away, ...wrong]) {
      expect(outcome).toBe("failed");
      expect(gap).not.toContain("a-secret");
    }
  },
);

test.skipIf(BINARIES === undefined)("a run that must stop does not wait for a query", async () => {
  const stop = new AbortController();
  const asked = server.query("SELECT 1").then(() => setTimeout(() => stop.abort(), 500));
  const query = postgres("SELECT pg_sleep(60)::text AS holder, 1 AS balance");
  const { outcome } = await new Register().run(query, { ...at(), stopping: stop.signal });
  await asked;
  expect(outcome).toBe("interrupted");
});

test.skipIf(BINARIES === undefined)("all rows are read, even if one fetch cannot return them all", async () => {
  const { outcome, gap, found } = await new Register().compare(
    postgres("SELECT 'h' AS holder, 0.1 AS balance FROM generate_series(1, 4500)", `, ${HOLDERS}`).concat(", combine: sum"),
    { ...at(), list: "[{'holder': 'h', 'balance': 450}]" },
  );
  expect([outcome, gap]).toEqual(["passed", ""]);
  expect(found.left.rows).toBe(4_500);
});
