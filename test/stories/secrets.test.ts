import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FORMATS } from "../../src/report/formats/format.ts";
import { answerInstead, proxyTo } from "./proxy.ts";
import { everyPage, viewing } from "./viewing.ts";
import {
  embeddedCommits,
  type Ended,
  filesBelow,
  KEYS,
  launch,
  newProject,
  type Project,
  servedSandbox,
  type Variables,
  COMMAND,
} from "./world.ts";

const PIN = 'c4nary/pin+1 "quo\\ted" ü';
const CODE = "70031992881";
const FILED = "-----BEGIN-----\nc4nary-in-a-file\nof two lines\n-----END-----";
const INNER = "c4nary-of-the-included";
const VARIABLES: Variables = { ...KEYS, CANARY_PIN: PIN, CANARY_CODE: CODE, CANARY_INNER: INNER };

// Each spelling in which a secret may appear in a file or on a screen.
const SPELLINGS = [PIN, CODE, FILED, INNER].flatMap((value) => {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  const base64 = Buffer.from(value).toString("base64").replaceAll("=", "");
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    percent,
    percent.replaceAll("%20", "+"),
    base64,
    value.replaceAll("\n", "\n  "),
  ];
});
const EVERY_REPORT = FORMATS.map((format) => `${format}=report.${format}`).join(",");
const PARTS = [...SPELLINGS, "c4nary/pin", "c4nary%2Fpin", "c4nary-in-a-file"];

const EVERYWHERE = `playbook: 1
name: A secret wherever one can be
env: { REGION: eu, TEAM: ~ }
secrets:
  PIN: env:CANARY_PIN
  CODE: env:CANARY_CODE
  FILED: file:keys/filed.pem
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: asset
    name: "Keep it"
    uses: ledger.asset.create
    with:
      assetType: Property
      data:
        id: "P\${{ run.key }}"
        pin: "\${{ secrets.PIN }}"
        note: "pin=\${{ secrets.PIN }}; filed=\${{ secrets.FILED }}; in \${{ env.REGION }} of \${{ env.TEAM }}"
        code: "\${{ decimal(secrets.CODE) }}"
        list: ["\${{ secrets.FILED }}"]
  - id: same
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.asset.id }}" }
    expect:
      - response.data.pin == secrets.PIN
      - response.data.note.contains(secrets.FILED)
      - response.data.code == decimal(secrets.CODE)
  - id: asked
    block:
      - id: sought
        uses: ledger.asset.get
        with: { assetType: Property, id: "\${{ secrets.PIN }}" }
    rescue:
      - uses: ledger.status
  - id: included
    uses: ./inner.yaml
    with: { region: "\${{ env.REGION }}" }
  - id: broken
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.asset.id }}" }
    expect:
      - response.data.note == "of another kind" || response.data.list.exists(l, l == secrets.PIN)
outputs:
  region: "\${{ env.REGION }}"
`;
const INCLUDED = `playbook: 1
inputs: { region: { type: string } }
env: { REGION: of the included }
secrets: { PIN: env:CANARY_INNER }
steps:
  - id: kept
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "I\${{ run.key }}", pin: "\${{ secrets.PIN }}", in: "\${{ inputs.region }}, \${{ env.REGION }}" } }
`;

function hits(text: string): readonly string[] {
  return PARTS.filter((part) => text.includes(part));
}

function expectNoneShown(...commands: readonly Ended[]): void {
  for (const { stdout, stderr, transcript } of commands) expect(hits(stdout + stderr), transcript).toEqual([]);
}

function expectNoneIn(project: Project): void {
  for (const path of filesBelow(project.folder)) {
    if (!path.endsWith("filed.pem"))
      expect(hits(readFileSync(path).toString("latin1") + readFileSync(path, "utf8")), path).toEqual([]);
  }
}

test("only the service receives the secrets", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject({ ...VARIABLES, TEAM: "blue" });
  project.serviceAt(proxy.url);
  project.write("everywhere.yaml", EVERYWHERE);
  project.write("inner.yaml", INCLUDED);
  project.write("keys/filed.pem", `${FILED}\n`);
  // A check needs no values of secrets.
  const checked = await commandIn(project, {}, "check", "everywhere.yaml");
  expect(checked.code, checked.transcript).toBe(0);

  const ended = await project.run("run", "everywhere.yaml", "--report", EVERY_REPORT);
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toMatch(/^✗ failed {3}broken /m);
  expect(ended.stdout, ended.transcript).toContain("${{ secrets.PIN }}");
  const bodies = proxy.exchanges.filter(({ method }) => method === "POST").map(({ body }) => body);
  expect(bodies[0]).toContain(`"note":${JSON.stringify(`pin=${PIN}; filed=${FILED}; in eu of blue`)}`);
  expect(bodies[0]).toContain(`"code":${CODE}`);
  expect(bodies[1]).toContain(INNER);
  expect(bodies[1]).toContain("eu, of the included");
  expect(proxy.exchanges.map(({ target }) => decodeURIComponent(target.replaceAll("+", " "))).join("\n")).toContain(PIN);

  for (const format of FORMATS) expect(project.read(`report.${format}`), format).toContain("secrets.PIN");
  const printed = await project.runEach(FORMATS.map((format) => ["report", "latest", "--format", format]));
  expectNoneShown(...printed);
  const again = await project.run("resume");
  const shown = [await project.run("runs", "show", runOf(ended)), await project.run("runs", "show", runOf(ended), "--json")];
  expectNoneShown(ended, again, ...shown, await project.run("runs"), await project.run("run", "everywhere.yaml", "--json"));
  expectNoneIn(project);
  expect(hits(JSON.stringify(await world.commits()))).toContain("c4nary/pin");
});

test("the debug variables of Node and of libraries show no secrets", async () => {
  const world = await servedSandbox();
  const project = newProject({ ...VARIABLES, TEAM: "blue", NODE_DEBUG: "*", DEBUG: "*" });
  project.serviceAt(world.url);
  project.write("everywhere.yaml", EVERYWHERE);
  project.write("inner.yaml", INCLUDED);
  project.write("keys/filed.pem", `${FILED}\n`);
  const { stdout, stderr } = await project.start("run", "everywhere.yaml").ended;
  expect(stdout).toMatch(/^✗ failed {3}broken /m);
  expect(stderr).toMatch(/^NET \d+: /m);
  expect(hits(stdout + stderr)).toEqual([]);
});

test("the embedded sandbox receives stand-ins instead of secrets, and the playbook gives the same result", async () => {
  const project = newProject({ ...VARIABLES, TEAM: "blue" });
  project.write("everywhere.yaml", EVERYWHERE);
  project.write("inner.yaml", INCLUDED);
  project.write("keys/filed.pem", `${FILED}\n`);
  const ended = await project.run("run", "everywhere.yaml", "--debug=exchanges.log");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toMatch(/^✓ ok {7}same /m);
  expect(ended.stdout, ended.transcript).toMatch(/^✗ failed {3}broken /m);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(1);
  await project.run("plan", "everywhere.yaml");
  expectNoneShown(ended, resumed);
  expectNoneIn(project);

  // The stand-in is the same for the same secret in every run on that sandbox, has the same form, and is masked like the secret.
  expect((await project.run("run", "everywhere.yaml")).code).toBe(1);
  const bodies = (await embeddedCommits(project)).map(({ body }) => body as { data: Readonly<Record<string, unknown>> });
  const [first, , again] = bodies.map(({ data }) => data);
  expect(first?.["pin"]).toBe(again?.["pin"]);
  expect(first?.["pin"]).toMatch(/^[a-z]\d[a-z]{4}\/[a-z]{3}\+\d "[a-z]{3}\\[a-z]{3}" [a-z]$/);
  expect(String(first?.["code"])).toMatch(/^[1-9]\d{10}$/);
  const standIn = JSON.stringify(first?.["pin"]).slice(1, -1);
  for (const file of filesBelow(project.folder).filter((path) => !path.includes("sandbox.db")))
    expect([file, readFileSync(file, "latin1").includes(standIn)]).toEqual([file, false]);
});

// The ledger's data contains secrets too: in the values that a comparison compares, and in the values that it keeps as evidence.
const COMPARED = `playbook: 1
name: A secret in a drift
mode: read-only
secrets: { PIN: env:CANARY_PIN, CODE: env:CANARY_CODE, INNER: env:CANARY_INNER, FILED: file:keys/filed.pem }
inputs:
  expected: { type: list, items: { type: object, properties: { pin: { type: string } } }, default: [{ pin: none }] }
reconcile:
  - id: assets
    left: { name: list, rows: inputs.expected, key: { pin: row.pin } }
    right:
      name: ledger
      as: { ledger: "userId:alice" }
      read: ledger.asset.list
      with: { assetType: Property }
      key: { pin: row.data.pin }
    recheck: 10ms
`;

test("no page of `tokenbook view` shows a secret", async () => {
  const world = await servedSandbox();
  const project = newProject({ ...VARIABLES, TEAM: "blue" });
  project.serviceAt(world.url);
  project.write("everywhere.yaml", EVERYWHERE);
  project.write("inner.yaml", INCLUDED);
  project.write("keys/filed.pem", `${FILED}\n`);
  project.write("compared.yaml", COMPARED);
  const runs = [await project.run("run", "everywhere.yaml"), await project.run("run", "everywhere.yaml")];
  for (const { code, transcript } of runs) expect(code, transcript).toBe(1);
  const compared = await project.run("run", "compared.yaml");
  expect(compared.code, compared.transcript).toBe(3);
  const fired = await project.run("schedule", "--once", "everywhere.yaml", "compared.yaml");
  expect(fired.code, fired.transcript).toBe(3);
  expectNoneShown(...runs, compared, fired);

  const [first = "", second = ""] = runs.map(runOf);
  const pages = await everyPage(await viewing(project), `compare/?run=${first}&run=${second}`, "drifts/?all=yes");
  for (const [path, page] of pages) expect(hits(page), path).toEqual([]);
  const of = (kind: RegExp): readonly string[] => [...pages].flatMap(([path, page]) => (kind.test(path) ? [page] : []));
  expect(of(/^runs\/[^/]+$/)).toHaveLength(5);
  expect(of(/^schedules\/./)).toHaveLength(2);
  const drifts = of(/^drifts\/[^?]/);
  expect(drifts.length).toBeGreaterThan(2);
  for (const kind of [/^runs\//, /^drifts\/./, /^drifts\/\?/]) {
    expect(
      of(kind).some((page) => page.includes("secrets.PIN")),
      String(kind),
    ).toBe(true);
  }
});

function runOf({ stdout }: Ended): string {
  return / run (\d{8}T\d{6}-[a-z0-9]+)$/m.exec(stdout)?.[1] ?? "";
}

async function commandIn(project: Project, variables: Variables, ...args: string[]): Promise<Ended> {
  return launch([COMMAND, ...args], { cwd: project.folder, variables }).ended;
}

const ONE_WRITE = `playbook: 1
name: One write
secrets: { PIN: env:CANARY_PIN }
steps:
  - id: asset
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}", pin: "\${{ secrets.PIN }}" } }
  - id: seen
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.asset.id }}" }
    expect: [response.data.pin == secrets.PIN]
`;

test("a write that is sent again contains the secret and not its mask, also in a resumed run", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject(VARIABLES);
  project.serviceAt(proxy.url);
  project.write("one.yaml", ONE_WRITE);
  const busy = answerInstead({
    status: 429,
    headers: { "content-type": "application/json", "retry-after": "0" },
    body: '{"status":"Error","message":"busy","condition":"busy"}',
  });
  void proxy.next("POST /asset", busy);
  const ended = await project.run("run", "one.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stdout, ended.transcript).toContain("sent 2 times");

  // The service is too busy five times, so the run stops. The resumed run continues with its next claim.
  for (let time = 0; time < 5; time++) void proxy.next("POST /asset", busy);
  const stopped = await project.run("run", "one.yaml");
  expect(stopped.code, stopped.transcript).toBe(1);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  const sent = proxy.exchanges.filter(({ method, target }) => method === "POST" && /\/asset\b/.test(target));
  expect(sent.map(({ body }) => body.includes(JSON.stringify(PIN)) && !body.includes("secrets.PIN"))).toEqual([true, true]);
  expectNoneShown(ended, stopped, resumed);
  expectNoneIn(project);
});

test("a secret that changed before a resume stays masked if the playbook names the old one too", async () => {
  const world = await servedSandbox();
  const [old, changed] = ["the-old-pin-1234", "the-new-pin-5678"];
  const project = newProject({ ...KEYS, PIN: old });
  project.serviceAt(world.url);
  const text = `playbook: 1
name: Rotate
secrets: { PIN: env:PIN }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: door, uses: ledger.asset.create, with: { assetType: Property, data: { id: D1, pin: "\${{ secrets.PIN }}" } } }
  - { id: look, uses: ledger.asset.get, with: { assetType: Property, id: D1 }, expect: [response.id == "D2"] }
`;
  project.write("rotate.yaml", text);
  const ran = await project.run("run", "rotate.yaml");
  expect(ran.code, ran.transcript).toBe(1);
  project.write("rotate.yaml", text.replace("PIN: env:PIN }", "PIN: env:PIN, OLD_PIN: env:OLD_PIN }").replace('"D2"', '"D1"'));
  const later = project.as({ ...KEYS, PIN: changed, OLD_PIN: old });
  const resumed = await later.json("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  const shown = await later.run("runs", "export", "latest");
  for (const { transcript } of [ran, resumed, shown]) expect(transcript).not.toContain(old);
  expect(shown.stdout).toContain("secrets.OLD_PIN");
});

test("a secret that a step reads is kept masked, and its mask is never sent", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject(VARIABLES);
  project.serviceAt(proxy.url);
  project.write(
    "on.yaml",
    `${ONE_WRITE}  - id: passed_on
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Q\${{ run.key }}", pin: "\${{ steps.seen.response.data.pin }}" } }
`,
  );
  const ended = await project.run("run", "on.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toContain("input.masked");
  expect(ended.stdout, ended.transcript).toContain("use the secret itself in with:");
  expect(await world.commits()).toHaveLength(1);
  expectNoneShown(ended);
});

test("all missing secrets are reported together with their lines, before anything is sent", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject({ ...KEYS, CANARY_CODE: "short" });
  project.serviceAt(proxy.url);
  project.write("everywhere.yaml", EVERYWHERE.replace("TEAM: ~", "TEAM: red"));
  project.write("inner.yaml", INCLUDED);
  const ended = await project.run("run", "everywhere.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toContain(`error secret.missing
  secrets cannot be used:
  everywhere.yaml:5 (secrets.PIN): the environment variable CANARY_PIN is not set
  everywhere.yaml:6 (secrets.CODE): the secret in CANARY_CODE has fewer than 8 characters, too few to be masked
  everywhere.yaml:7 (secrets.FILED): there is no file keys/filed.pem
  inner.yaml:4 (secrets.PIN): the environment variable CANARY_INNER is not set
`);
  project.write("everywhere.yaml", EVERYWHERE);
  const without = await commandIn(project, VARIABLES, "run", "everywhere.yaml");
  expect(without.code, without.transcript).toBe(2);
  expect(without.stderr, without.transcript).toContain("a variable without a default is not set: everywhere.yaml:3 (env.TEAM)");
  expect(proxy.seen).toEqual([]);
});

test("a secret that is also an input, or is written into the playbook, is refused and not shown", async () => {
  const project = newProject(VARIABLES);
  project.write("twice.yaml", ONE_WRITE.replace("secrets:", "inputs: { hint: { type: string } }\nsecrets:"));
  const twice = await project.run("run", "twice.yaml", "--input", `hint=it is ${PIN}`);
  expect(twice.code, twice.transcript).toBe(2);
  expect(twice.stderr, twice.transcript).toContain("or a file of data holds the value of ${{ secrets.PIN }}");
  project.write("literal.yaml", ONE_WRITE.replace("env:CANARY_PIN", "c4nary/pin").replace("steps:", "stepps:\nsteps:"));
  const formats = ["text", "json", "github", "sarif"];
  const checks = await project.runEach(formats.map((format) => ["check", "literal.yaml", "--format", format]));
  expectNoneShown(twice, ...checks, await project.run("run", "literal.yaml"));
  for (const { code, stdout, transcript } of checks) {
    expect(code, transcript).toBe(2);
    expect(stdout, transcript).toContain("schema.unknown-field");
  }
});

const OUTSIDE = `playbook: 1
env: { REGION: eu }
steps:
  - id: first
    uses: ledger.status
    expect: [env.REGION == "from the shell"]
  - id: later
    uses: ledger.asset.get
    with: { assetType: Property, id: nowhere }
outputs: { region: "\${{ env.REGION }}" }
`;

test("a variable keeps its value from the start of the run, even if the run is resumed elsewhere", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("outside.yaml", OUTSIDE);
  const ended = await commandIn(project, { ...KEYS, REGION: "from the shell" }, "run", "outside.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toMatch(/^✓ ok {7}first /m);
  const found = '{"id":"nowhere","assetType":"Property"}';
  void proxy.next("GET /asset", answerInstead({ status: 200, headers: { "content-type": "application/json" }, body: found }));
  const resumed = await commandIn(project, { ...KEYS, REGION: "another" }, "resume", "--json");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ reports: [{ run: { outputs: { region: "from the shell" } } }] });
});

test("`--tags` selects playbooks of a folder", async () => {
  const project = newProject();
  const tagged = (tags: string): string => `playbook: 1\n${tags}\nsteps:\n  - uses: ledger.status\n`;
  project.write("all/quick.yaml", tagged("tags: [smoke]"));
  project.write("all/slow.yaml", tagged("tags: [smoke, slow]"));
  project.write("all/plain.yaml", tagged("mode: read-only"));
  const chosen = async (tags: string): Promise<readonly string[]> =>
    (await project.json("check", "all", "--tags", tags)).data.files.map(({ file }) => file);
  expect(await chosen("smoke,!slow")).toEqual(["all/quick.yaml"]);
  expect(await chosen("smoke")).toEqual(["all/quick.yaml", "all/slow.yaml"]);
  expect(await chosen("!slow")).toEqual(["all/plain.yaml", "all/quick.yaml"]);
  expect((await project.run("check", "all")).stdout).toContain("✓ all/slow.yaml: 1 step, tags smoke slow\n");

  const ran = await project.run("run", "all", "--tags", "slow");
  expect(ran.code, ran.transcript).toBe(0);
  expect(ran.stdout, ran.transcript).toContain("(all/slow.yaml)");
  expect(ran.stdout, ran.transcript).not.toContain("quick.yaml");
  const unknown = await project.run("run", "all", "--tags", "smoek");
  expect(unknown.code, unknown.transcript).toBe(2);
  expect(unknown.stderr, unknown.transcript).toContain('none of these playbooks has the tag "smoek"');
  expect(unknown.stderr, unknown.transcript).toContain('did you mean "smoke"?');
  const none = await project.run("run", "all", "--tags", "slow,!smoke");
  expect(none.code, none.transcript).toBe(2);
  expect(none.stderr, none.transcript).toContain("no playbook is chosen by --tags slow,!smoke");

  // A playbook that cannot be read is reported, whatever tags it may have.
  project.write("all/broken.yaml", tagged("tag: [slow]"));
  const broken = await project.run("run", "all", "--tags", "smoke");
  expect(broken.code, broken.transcript).toBe(2);
  expect(broken.stderr, broken.transcript).toContain("all/broken.yaml:2:1 error schema.unknown-field");
});
