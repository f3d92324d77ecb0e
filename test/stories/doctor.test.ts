import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import schema from "../../schemas/doctor.schema.json" with { type: "json" };
import type { DoctorDocument, DoctorFinding } from "../../src/report/doctor/shape.ts";
import { hasOpenssl, selfSigned } from "../certificate.ts";
import { desk, losingMint } from "./desk.ts";
import { answerAfterwards, closedAddress, proxyTo, strangerServer } from "./proxy.ts";
import { filesBelow, KEYS, MINT_ONCE, newProject, type Project, runIn, servedSandbox, temporaryFolder } from "./world.ts";

const valid = new Ajv2020().compile(schema);

async function examine(project: Project, ...args: string[]): Promise<DoctorDocument & { readonly transcript: string }> {
  const ended = await project.run("doctor", "--json", ...args);
  const document = JSON.parse(ended.stdout) as DoctorDocument;
  expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
  expect(document.ok, ended.transcript).toBe(!document.findings.some(({ grade }) => grade === "problem"));
  expect(ended.code, ended.transcript).toBe(document.ok ? 0 : 1);
  for (const key of Object.values(project.variables)) expect(ended.transcript).not.toContain(key);
  return { ...document, transcript: ended.transcript };
}

function codes({ findings }: Pick<DoctorDocument, "findings">, grade: DoctorFinding["grade"]): readonly string[] {
  return findings.filter((each) => each.grade === grade).map(({ code }) => code);
}

function about({ findings }: Pick<DoctorDocument, "findings">, code: string): string {
  return findings
    .filter((each) => each.code === code)
    .map(({ message, why, next }) => [message, why, next].join("\n"))
    .join("\n");
}

test("doctor without an environment examines the sandbox, finds no problem, and leaves no file behind", async () => {
  const project = newProject({});
  const seen = await examine(project);
  expect(seen.ok, seen.transcript).toBe(true);
  expect(seen.environment).toBe("sandbox");
  expect(codes(seen, "ok")).toEqual(
    expect.arrayContaining([
      "project.none",
      "state.folder",
      "state.empty",
      "service.sandbox",
      "service.key-taken",
      "profile.page",
    ]),
  );
  expect(filesBelow(project.folder)).toEqual([]);
});

test("doctor reports a healthy service as ready, and shows what it tried", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("mint.yaml", MINT_ONCE);
  expect((await project.run("run", "mint.yaml")).code).toBe(0);
  const before = filesBelow(project.folder).map((file) => [file, statSync(file).mtimeMs]);
  const ended = await project.run("doctor");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stdout).toMatch(/✓ ready to run for environment here$/m);
  expect(ended.stdout).toMatch(/✓ env:LEDGER_KEY is there, for tokenbook\.yaml:7 \(environments\.here\.ledger\.apiKey\)/);
  expect(ended.stdout).toMatch(/✓ ledger: http:.*: found in .*, connected in .* \(127\.0\.0\.1\)/);
  expect(ended.stdout).toMatch(/✓ investor: SECOND_BUYER_KEY: the service accepts the key/);
  expect(ended.stdout).toMatch(/journal\.db is whole/);
  expect(filesBelow(project.folder).map((file) => [file, statSync(file).mtimeMs])).toEqual(before);
  expect(await service.commits()).toHaveLength(2);
});

test("doctor reports a key that the service refuses, with the line that names it", async () => {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, BUYER_KEY: "canary-buyer-2" });
  project.serviceAt(service.url);
  const seen = await examine(project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["service.key-refused"]);
  expect(about(seen, "service.key-refused")).toMatch(/investor: BUYER_KEY: [\s\S]*tokenbook\.yaml:11 /);
});

test("doctor has different messages for a closed port and for a host name that does not exist", async () => {
  const project = newProject();
  project.serviceAt(await closedAddress());
  project.write(
    "tokenbook.yaml",
    project.read("tokenbook.yaml").replace(/(investor:\n\s+baseUrl: ").*"/, '$1http://no-such-host.invalid"'),
  );
  const seen = await examine(project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["service.no-connection", "service.no-name"]);
  expect(about(seen, "service.no-connection")).toMatch(/ECONNREFUSED[\s\S]*fix tokenbook\.yaml:4 /);
});

test("doctor reports a service without TLS behind an https address", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url.replace("http:", "https:"));
  const seen = await examine(project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["service.no-tls", "service.no-tls"]);
  expect(about(seen, "service.no-tls")).toMatch(/does not answer with TLS [^\n]*\n\nwrite http:\/\/ in tokenbook\.yaml:4 /);
});

test("doctor reports a web page that answers in place of the service", async () => {
  const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html>Please log in</html>" };
  const project = newProject();
  project.serviceAt((await strangerServer(page)).url);
  const seen = await examine(project);
  expect(new Set(codes(seen, "problem")), seen.transcript).toEqual(new Set(["service.not-json"]));
});

test("doctor reports by how much the clocks of the service and of this machine differ", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const date = new Date(Date.now() - 7_200_000).toUTCString();
  const json = { "content-type": "application/json", date };
  void proxy.next(
    "GET /status",
    answerAfterwards((real) => ({ ...real, headers: json })),
  );
  const project = newProject();
  project.serviceAt(proxy.url);
  const seen = await examine(project);
  expect(seen.ok, seen.transcript).toBe(true);
  expect(codes(seen, "warning"), seen.transcript).toEqual(["service.clock-skewed"]);
  expect(about(seen, "service.clock-skewed")).toMatch(/this machine's clock is 2 h .*ahead of that of the ledger interface/);
});

test("doctor confirms no setting without evidence, and reports an error that is sent as a success", async () => {
  const service = await servedSandbox({ seed: { ledger: { tokens: [tokenNamed("ONE")] } } });
  const proxy = await proxyTo(service.url);
  void proxy.next(
    "GET /token",
    answerAfterwards((real) => ({ ...real, status: 200 })),
  );
  const project = newProject();
  project.serviceAt(proxy.url);
  const seen = await examine(project);
  expect(about(seen, "profile.ledger")).toContain("it has no second page to look at");
  expect(codes(seen, "warning"), seen.transcript).toEqual(["profile.errors"]);
  expect(about(seen, "profile.errors")).toContain(
    "the service does not refuse a read of something that does not exist: HTTP 200",
  );
});

test("doctor finds that the profile has another name for the bookmark than the service", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  for (const id of ["ONE", "TWO"]) await service.call("POST /token", "userId:alice", [tokenNamed(id)]);
  project.write(
    "tokenbook.yaml",
    `${project.read("tokenbook.yaml")}    profile: { ledger: { parameters: { bookmark: from } } }\n`,
  );
  const seen = await examine(project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["profile.bookmark"]);
  expect(about(seen, "profile.bookmark")).toContain("profile.ledger.parameters.bookmark at tokenbook.yaml:3 (environments.here)");
});

test("doctor warns if the service does not read the acting entity where the profile says", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  const environment = project.read("tokenbook.yaml");
  expect(codes(await examine(project), "warning")).toEqual([]);
  project.write("tokenbook.yaml", `${environment}    profile: { ledger: { onBehalfOf: { in: header, name: X-Act-As } } }\n`);
  const seen = await examine(project);
  expect(codes(seen, "warning"), seen.transcript).toEqual(["profile.acting-entity"]);
  expect(about(seen, "profile.acting-entity")).toContain("the header X-Act-As");
  expect(about(seen, "profile.acting-entity")).toContain("tokenbook calibrate --env here");
});

function tokenNamed(id: string): object {
  return {
    id,
    name: id,
    symbol: id,
    classification: { type: "fungible", unit: "fractional", valueType: "intrinsic", supply: "capped-variable" },
    behaviour: { decimal: 2, maxMintQuantity: 100, transferable: true, burnable: true },
  };
}

test("doctor reports a state directory that cannot be made, and still examines the service", async () => {
  const project = newProject({});
  project.write("taken", "");
  const seen = await examine(project, "--state", "taken/state");
  expect(codes(seen, "problem"), seen.transcript).toEqual(["state.unwritable"]);
  expect(codes(seen, "ok")).toContain("service.key-taken");
});

test("doctor reports a missing variable with the line that needs it, only for the environment that it examines", async () => {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, SECOND_BUYER_KEY: "short" });
  project.serviceAt(service.url);
  project.write(
    "tokenbook.yaml",
    `${project.read("tokenbook.yaml").replaceAll(/^ {8}SECOND.*\n/gm, "")}  later:
    ledger: { baseUrl: "http://127.0.0.1:1", appId: a, orgId: o, apiKey: env:LATER_KEY }\n`,
  );
  const first = await examine(project);
  expect(first.ok, first.transcript).toBe(true);
  expect(codes(first, "warning")).toEqual(["environment.key-missing"]);
  const later = await examine(project, "--env", "later");
  expect(codes(later, "problem"), later.transcript).toEqual(["environment.key-missing"]);
  expect(about(later, "environment.key-missing")).toMatch(
    /LATER_KEY is not set[\s\S]*environments\.later\.ledger\.apiKey[\s\S]*export LATER_KEY=/,
  );
});

test("doctor and run report a key that no header can hold, and do not call the service unreachable", async () => {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, LEDGER_KEY: "schlüssel-ключ" });
  project.serviceAt(service.url);
  project.write("look.yaml", "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  const seen = await examine(project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["environment.key-not-in-header"]);
  expect(about(seen, "environment.key-not-in-header")).toContain("tokenbook.yaml:7 (environments.here.ledger.apiKey)");
  const run = await project.run("run", "look.yaml");
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr).toContain("environment.key-not-in-header");
  expect(seen.transcript + run.transcript).not.toContain("ключ");
});

test.each([
  ['baseUrl: "http://127.0.0.1:99999"', '"baseUrl" is not an address'],
  ['baseUrl: "http://robot:secretpw@127.0.0.1:1"', '"baseUrl" holds a user or a password'],
])("every command reports an impossible address at its line: %s", async (address, message) => {
  const project = newProject();
  project.serviceAt("http://127.0.0.1:1");
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace(/baseUrl: .*/, address));
  project.write("look.yaml", "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  for (const command of [["run", "look.yaml"], ["plan", "look.yaml"], ["doctor"]]) {
    const ended = await project.run(...command);
    expect(ended.code, ended.transcript).toBe(command[0] === "doctor" ? 1 : 2);
    expect(ended.stdout + ended.stderr, ended.transcript).toContain("tokenbook.yaml:4:16");
    expect(ended.stdout + ended.stderr).toContain(message);
    expect(ended.stdout + ended.stderr).not.toContain("secretpw");
  }
});

test("doctor reports a write with unknown outcome, with the command that looks again", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const stopped = await losingMint(at);
  const seen = await examine(at.project);
  expect(codes(seen, "problem"), seen.transcript).toEqual(["state.unknown-write"]);
  expect(about(seen, "state.unknown-write")).toMatch(/mint \(ledger\.token\.mint\)[\s\S]*tokenbook resume /);
  expect(about(seen, "state.unknown-write")).toContain(runIn(stopped));
  hold(at.project, 2_000, "passed");
  expect(about(await examine(at.project), "state.unknown-write")).toBe(about(seen, "state.unknown-write"));
  hold(at.project, 1_000, "failed");
  expect(codes(await examine(at.project), "warning")).toEqual(["state.many-runs"]);
});

/** Adds this number of later runs with this outcome. They begin like the existing run and do nothing. */
function hold({ folder }: Project, runs: number, outcome: string): void {
  const journal = new DatabaseSync(join(folder, ".tokenbook/journal.db"));
  journal.exec(`
    CREATE TEMP TABLE later AS
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${runs}) SELECT n, '${outcome}' || n AS id FROM n;
    CREATE TEMP TABLE start AS SELECT * FROM record ORDER BY rowid LIMIT 2;
    INSERT INTO run (id, playbook, environment, opened_at, outcome, last_sequence, last_hash)
    SELECT id, 'look.yaml', 'here', ${Date.now()} + n, '${outcome}', 1, hash FROM later, start WHERE sequence = 1;
    INSERT INTO record (run_id, sequence, epoch, at, kind, body, previous, hash)
    SELECT id, sequence, epoch, at, kind, body, previous, hash FROM later, start`);
  journal.close();
}

test("doctor reports a run whose process died, and one that another machine holds", async () => {
  const project = newProject({ TOKENBOOK_FAILPOINT: "before:run.closed" });
  project.write("look.yaml", "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  expect((await project.run("run", "look.yaml")).code).toBeNull();
  const sane = project.as({});
  const died = await examine(sane);
  expect(codes(died, "warning"), died.transcript).toEqual(["state.died"]);
  expect(about(died, "state.died")).toMatch(/look\.yaml.* did not end: its process died\n.*\ntokenbook resume /);
  const journal = new DatabaseSync(join(project.folder, ".tokenbook/journal.db"));
  journal.exec("UPDATE lease SET holder = json_set(holder, '$.host', 'elsewhere', '$.bootId', 'another')");
  journal.close();
  const held = await examine(sane);
  expect(codes(held, "warning"), held.transcript).toEqual(["state.held-elsewhere"]);
  expect(about(held, "state.held-elsewhere")).toMatch(/on elsewhere[\s\S]*tokenbook runs release /);
});

test.runIf(hasOpenssl)("doctor shows how long TLS took, and warns of a certificate that expires soon", async () => {
  const { file, key, cert } = selfSigned(temporaryFolder(), 3);
  const page = createServer({ key, cert }, (_, response) => void response.end("<p>"));
  await once(page.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void page.close());
  const project = newProject({ ...KEYS, NODE_EXTRA_CA_CERTS: file });
  project.serviceAt(`https://localhost:${(page.address() as AddressInfo).port}`);
  const seen = await examine(project);
  expect(about(seen, "service.reached"), seen.transcript).toMatch(/connected in .*, secured in /);
  expect(codes(seen, "warning")).toContain("service.certificate-ends");
  const unknown = await examine(project.as(KEYS));
  expect(about(unknown, "service.no-tls"), unknown.transcript).toMatch(
    /secured: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n[^]*export NODE_EXTRA_CA_CERTS=FILE/,
  );
});

test("doctor reports a damaged journal, and leaves it unchanged", async () => {
  const project = newProject({});
  project.write("mint.yaml", MINT_ONCE);
  expect((await project.run("run", "mint.yaml")).code).toBe(0);
  const file = join(project.folder, ".tokenbook/journal.db");
  const bytes = readFileSync(file);
  bytes.fill(7, 4096 * 3, 4096 * 3 + 200);
  writeFileSync(file, bytes);
  const seen = await examine(project);
  expect(seen.ok, seen.transcript).toBe(false);
  expect(
    codes(seen, "problem").every((code) => /damaged|journal/.test(code)),
    seen.transcript,
  ).toBe(true);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("doctor shows a mistake in tokenbook.yaml with its line, and refuses an unknown environment", async () => {
  const project = newProject({});
  project.write(
    "tokenbook.yaml",
    "environments:\n  here:\n    ledger: { baseUrl: nowhere }\n    exclusve: true\n    colour: red\n",
  );
  const seen = await examine(project);
  const mistakes = ['"appId"', '"orgId"', '"apiKey"', '"baseUrl"', '"exclusve"', '"colour"'];
  expect(codes(seen, "problem"), seen.transcript).toEqual(mistakes.map(() => "environment.invalid"));
  const shown = await project.run("doctor");
  expect(shown.stdout).toContain(`✗ ${mistakes.length} things to fix`);
  expect(shown.stdout).not.toContain("more lines");
  for (const mistake of mistakes) expect(shown.stdout).toContain(mistake);
  project.write("tokenbook.yaml", "environments:\n  here: embedded\n");
  const misspelt = await project.run("doctor", "--env", "hree");
  expect(misspelt.code, misspelt.transcript).toBe(2);
  expect(misspelt.stderr).toContain("--env here");
});

test("doctor reports a .env that other users may read", async () => {
  const project = newProject({});
  project.write(".env", "A=1\n");
  chmodSync(join(project.folder, ".env"), 0o644);
  expect(codes(await examine(project), "warning")).toEqual(["project.dotenv-open"]);
  chmodSync(join(project.folder, ".env"), 0o600);
  expect(codes(await examine(project), "warning")).toEqual([]);
  expect(existsSync(join(project.folder, ".tokenbook"))).toBe(false);
});

test("doctor warns when the address of a notification channel or of the heartbeat is missing", async () => {
  const project = newProject({});
  const text = "environments: { s: embedded }\nnotifications: { desk: { url: env:DESK_WEBHOOK } }\nheartbeat: env:PULSE\n";
  project.write("tokenbook.yaml", text);
  const without = await examine(project);
  expect(codes(without, "warning"), without.transcript).toEqual(["environment.key-missing"]);
  expect(about(without, "environment.key-missing")).toContain("DESK_WEBHOOK");
  const set = await examine(project.as({ DESK_WEBHOOK: "https://desk.example.com/x", PULSE: "https://pulse.example.com/y" }));
  expect(about(set, "keys.listeners"), set.transcript).toContain("desk, heartbeat");
});

test("the program that a notification runs is looked for, because schedules start without it", async () => {
  const project = newProject({});
  const looked = async (command: string): ReturnType<typeof examine> => {
    project.write("tokenbook.yaml", `environments: { s: embedded }\nnotifications: { desk: { command: [${command}, a] } }\n`);
    return examine(project);
  };
  project.write("page.sh", "#!/bin/sh\n");
  for (const command of ["./page.sh", "./pgae.sh", "no-such-program", "."]) {
    const found = await looked(command);
    expect(about(found, "keys.no-program"), found.transcript).toContain("notifications.desk");
  }
  chmodSync(join(project.folder, "page.sh"), 0o755);
  for (const command of ["./page.sh", "sh", process.execPath]) {
    const found = await looked(command);
    expect(about(found, "keys.no-program"), found.transcript).toBe("");
  }
});
