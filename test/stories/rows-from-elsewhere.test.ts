import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { comparisonIn } from "./comparison.ts";
import { newProject, runIn } from "./world.ts";

const HOLDERS = "properties: { holder: { type: string }, balance: { type: decimal } }";
const SIDE = "key: row.holder, value: row.balance";

const NIGHTLY = `playbook: 1
mode: read-only
reconcile:
  - id: holders
    left: { name: export, rows: { csv: ./register.csv, ${HOLDERS} }, ${SIDE} }
    right: { name: register, rows: { sqlite: ./register.db, query: "SELECT holder, balance FROM t", ${HOLDERS} }, ${SIDE} }
    recheck: 10ms
`;

test("an export is compared with its database: a missing file is incomplete, and the run resumes when it is there", async () => {
  const project = newProject({});
  project.write("nightly/nightly.yaml", NIGHTLY);
  const database = new DatabaseSync(`${project.folder}/nightly/register.db`);
  database.exec(
    "CREATE TABLE t (holder TEXT, balance TEXT); INSERT INTO t VALUES ('alice', '0.1'), ('bob', '12345678901234567890.5')",
  );
  database.close();
  const missing = await project.run("run", "nightly/nightly.yaml");
  expect(missing.code, missing.transcript).toBe(1);
  expect(missing.transcript).toContain("nightly/register.csv does not exist; a path here begins at the folder of the playbook");
  const unknown = await project.run("drift", "list");
  expect(unknown.stdout, unknown.transcript).toBe(
    "1 comparison was not finished by its last run, so there may be drifts that are not listed:\n  holders (nightly/nightly.yaml, environment sandbox)\n",
  );
  expect((await project.json("drift", "list")).data).toMatchObject({ comparisons: 1, unfinished: 1, total: 0 });
  project.write("nightly/register.csv", "holder,balance\nalice,0.10\nbob,12345678901234567890.4\n");
  const drift = await project.json("resume");
  expect(drift.code, drift.transcript).toBe(3);
  const found = comparisonIn(drift.data, "reconcile.holders");
  expect(found.drifts).toMatchObject([{ key: { key: "bob" }, left: "12345678901234567890.4", right: "12345678901234567890.5" }]);
  const shown = await project.run("drift", "show", found.drifts[0]?.id ?? "");
  expect(shown.transcript).toContain("nightly/register.csv, line 3");
  expect(shown.transcript).toContain('nightly/register.db {"query":"SELECT holder, balance FROM t"}, row 2 (holder: bob)');
  project.write("nightly/register.csv", "holder,balance\nalice,0.10\nbob,12345678901234567890.50\n");
  const agreed = await project.run("run", "nightly/nightly.yaml");
  expect(agreed.code, agreed.transcript).toBe(0);
  expect((await project.run("drift", "list")).stdout).toBe("no drift\n");
});

test("a run that is resumed with its inputs of Monday clears nothing that Tuesday's run has found", async () => {
  const project = newProject({});
  const input = `{ type: file, default: register.csv, items: { type: object, ${HOLDERS} } }`;
  const text = NIGHTLY.replace("reconcile:", `inputs:\n  register: ${input}\nreconcile:`)
    .replace(/rows: \{ csv: .*\} \}, (?=key.*\n {4}right)/, "rows: inputs.register, ")
    .replace(/rows: \{ sqlite: .*", /, "rows: { csv: ./export.csv, ");
  project.write("nightly.yaml", text);
  const row = (balance: string): string => `holder,balance\nalice,${balance}\n`;
  project.write("register.csv", row("1"));
  const monday = await project.run("run", "nightly.yaml");
  expect(monday.code, monday.transcript).toBe(1);
  project.write("register.csv", row("2"));
  project.write("export.csv", row("1"));
  const tuesday = await project.run("run", "nightly.yaml");
  expect(tuesday.code, tuesday.transcript).toBe(3);
  const resumed = await project.json("resume", runIn(monday));
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(comparisonIn(resumed.data, "reconcile.holders").counts).toMatchObject({ compared: 1, cleared: 0 });
  const listed = await project.run("drift", "list");
  expect(listed.stdout, listed.transcript).toMatch(/ new +\w{12} {2}key alice: export 2, register 1/);
});

test("keys that are parts of a secret address are masked, and are drifts of their own", async () => {
  const project = newProject({});
  const api = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end('[{"holder":"2026-01-01","balance":1},{"holder":"2026-01-31","balance":1}]');
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  onTestFinished(() => void api.close());
  const { port } = api.address() as AddressInfo;
  project.write("register.csv", "holder,balance\n2026-01-01,2\n2026-01-31,2\n");
  project.write("nightly.yaml", NIGHTLY.replace(/\{ sqlite: .*", /, "{ http: env:API, "));
  const at = project.as({ API: `http://127.0.0.1:${port}/?from=2026-01-01&to=2026-01-31` });
  const first = await at.json("run", "nightly.yaml");
  expect(first.code, first.transcript).toBe(3);
  const { drifts } = comparisonIn(first.data, "reconcile.holders");
  expect(drifts.map(({ key }) => key["key"])).toEqual(Array(2).fill("${{ secrets.API }}"));
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await project.run("drift", "ack", drifts[0]?.id ?? "", "--because", "a refund", "--until", day);
  const second = await at.json("run", "nightly.yaml");
  expect(second.code, second.transcript).toBe(3);
  expect(comparisonIn(second.data, "reconcile.holders").counts).toMatchObject({ acknowledged: 1, persisting: 1 });
});

test("an address is taken from a variable, and shown nowhere", async () => {
  const project = newProject({});
  const api = "{ http: env:REGISTER, headers: { authorization: env:TOKEN }, ";
  project.write("nightly.yaml", NIGHTLY.replace("{ csv: ./register.csv, ", api).replace(/\{ sqlite: .*", /, api));
  const unset = await project.run("run", "nightly.yaml");
  expect(unset.code, unset.transcript).toBe(2);
  expect(unset.transcript).toContain("nightly.yaml:5 (http: env:REGISTER): the environment variable REGISTER is not set");
  expect(unset.transcript).toContain("nightly.yaml:5 (authorization: env:TOKEN): the environment variable TOKEN is not set");
  expect(unset.transcript).toContain("secrets and addresses cannot be used:");
  const half = await project.as({ TOKEN: "a-hidden-token" }).run("run", "nightly.yaml");
  expect(half.transcript).toContain("an address cannot be used: nightly.yaml:5 (http: env:REGISTER)");
  const variables = { REGISTER: "http://127.0.0.1:9/a-hidden-path?key=a-hidden-key", TOKEN: "a-hidden-token" };
  const away = await project.as(variables).run("run", "nightly.yaml", "--report", "json=report.json", "--debug");
  expect(away.code, away.transcript).toBe(1);
  expect(away.transcript).toContain("the API gave no answer");
  expect(away.transcript + project.read("report.json")).not.toContain("a-hidden");
  project.write("nightly.yaml", NIGHTLY.replace("csv: ./register.csv", "http: http://127.0.0.1:9/a-hidden-path"));
  const written = await project.run("check", "nightly.yaml");
  expect(written.code, written.transcript).toBe(2);
  expect(written.transcript).toContain('"http" is not a reference');
  expect(written.transcript).not.toContain("a-hidden");
});

test("a row is named by its first column, and by no part of a secret that is in it", async () => {
  const token = `eyJ${"0123456789".repeat(20)}`;
  const project = newProject({ TOKEN: token });
  const register = new DatabaseSync(join(project.folder, "register.db"));
  register.exec(`CREATE TABLE t (holder TEXT, balance TEXT); INSERT INTO t VALUES ('${token}', 'many')`);
  register.close();
  project.write("register.csv", "holder,balance\nalice,1\n");
  project.write("nightly.yaml", NIGHTLY.replace("mode: read-only", "mode: read-only\nsecrets: { TOKEN: env:TOKEN }"));
  const run = await project.run("run", "nightly.yaml", "--report", "json=report.json");
  expect(run.code, run.transcript).toBe(1);
  expect(run.transcript).toContain("row 1 (holder: ${{ secrets.TOKEN }}…)");
  expect(run.transcript + project.read("report.json")).not.toContain("eyJ");
});
