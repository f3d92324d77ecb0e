// A service repeats the secrets that it received, in every form in which software between it and tokenbook may have written them.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FORMATS } from "../../src/report/formats/format.ts";
import { shownOf, WRITTEN } from "../spellings.ts";
import { type Answer, answerInstead, type Proxy, proxyTo } from "./proxy.ts";
import { everyPage, viewing } from "./viewing.ts";
import { type Ended, filesBelow, KEYS, newProject, type Project, servedSandbox } from "./world.ts";

const PIN = `c4nary+/pin & "quo\\ted" <ü> 100%`;
const KEY = KEYS["LEDGER_KEY"] ?? "";

const READ = `playbook: 1
name: Read what the service repeats
secrets: { PIN: env:CANARY_PIN }
defaults: { as: { ledger: "userId:alice" } }
steps:
  - id: house
    uses: ledger.asset.get
    with: { assetType: Property, id: HOUSE }
    expect: [response.data.said == secrets.PIN, response.data.said == "another"]
outputs:
  said: "\${{ steps.house.response.data }}"
`;
const PASSING = READ.replace(/ {4}expect:.*\n/, "");
const ROUNDS = `${PASSING.replace(/outputs:[\s\S]*/, "")}  - id: each
    foreach: { name: "\${{ steps.house.response.data.names }}", key: name }
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ name }}" }
`;

const repeated = WRITTEN.flatMap(([, spell]) => [PIN, KEY].map((secret) => `<${spell(secret)}>`));
const JSON_TYPE = { "content-type": "application/json" };
const asset = (data: object): Answer => ({
  status: 200,
  headers: JSON_TYPE,
  body: JSON.stringify({ id: "HOUSE", assetType: "Property", data: { id: "HOUSE", ...data } }),
});

// As .NET escapes the whole text, and as an HTML template does.
function inNumbers({ body, ...answer }: Answer): Answer {
  return {
    ...answer,
    body: body.replaceAll(
      /[+&<>'\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
    ),
  };
}

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ["an asset", asset({ said: repeated, [repeated.join("")]: PIN, number: 1 })],
  ["an asset as .NET writes it", inNumbers(asset({ said: repeated, names: [PIN] }))],
  [
    "a refusal",
    {
      status: 422,
      headers: JSON_TYPE,
      body: JSON.stringify({ status: "Error", message: repeated.slice(0, 30).join(" "), condition: PIN }),
    },
  ],
  [
    "another refusal",
    { status: 404, headers: JSON_TYPE, body: JSON.stringify({ message: repeated.slice(30).join("\n"), condition: KEY }) },
  ],
  ["plain text", { status: 400, headers: { "content-type": "text/plain" }, body: repeated.join("\n") }],
  ["a page", { status: 502, headers: { "content-type": "text/html" }, body: `<p>${repeated.join("<br>")}</p>` }],
  [
    "JSON that breaks off",
    { status: 200, headers: JSON_TYPE, body: `{"id":"HOUSE","data":{"said":"${JSON.stringify(PIN).slice(1, -1)}` },
  ],
  ["a type of its own", { ...asset({}), headers: { "content-type": `application/json; key=${encodeURIComponent(PIN)}` } }],
  ["the name of a header", { ...asset({}), headers: { ...JSON_TYPE, [`X-Of-${KEY}`]: "1" } }],
];

async function worldOf(): Promise<{ readonly project: Project; readonly proxy: Proxy }> {
  const proxy = await proxyTo((await servedSandbox()).url);
  const project = newProject({ ...KEYS, CANARY_PIN: PIN });
  project.serviceAt(proxy.url);
  return { project, proxy };
}

function expectNone(text: string, where: string): void {
  for (const secret of [PIN, KEY]) expect([where, shownOf(text, secret)]).toEqual([where, []]);
}

function expectNoneIn(project: Project, ...commands: readonly Ended[]): void {
  for (const { stdout, stderr, transcript } of commands) expectNone(stdout + stderr, transcript.split("\n")[0] ?? "");
  for (const file of filesBelow(project.folder)) {
    const bytes = readFileSync(file);
    expectNone(bytes.toString("utf8") + bytes.toString("latin1"), file);
  }
}

test.for(ANSWERS)("no output shows a secret that a service repeats in any spelling: %s", async ([, answer]) => {
  const { project, proxy } = await worldOf();
  project.write("read.yaml", READ);
  project.write("passing.yaml", PASSING);
  const commands: Ended[] = [];
  const reports = FORMATS.map((format) => `${format}=report.${format}`).join(",");
  for (const args of [
    ["run", "read.yaml", "--report", reports, "--debug"],
    ["run", "passing.yaml", "--json", "--debug=seen.log"],
    ["plan", "passing.yaml", "--out", "plan.json"],
    ["schedule", "--once", "read.yaml"],
  ]) {
    // tokenbook repeats a read whose answer is not usable.
    for (let time = 0; time < 8; time++) void proxy.next("GET /asset", answerInstead(answer));
    commands.push(await project.run(...args));
  }
  expect(proxy.seen).toContain("GET /asset");
  commands.push(await project.run("runs", "show", "latest"), await project.run("runs", "export", "latest"));
  for (const format of FORMATS) commands.push(await project.run("report", "latest", "--format", format));
  expectNoneIn(project, ...commands);
});

test("no name of a round and no page of `tokenbook view` shows a secret", async () => {
  const { project, proxy } = await worldOf();
  const names = [`of ${KEY}`, `of ${encodeURIComponent(PIN)}`, `of ${Buffer.from(`u:${PIN}`).toString("base64")}`];
  project.write("rounds.yaml", ROUNDS);
  void proxy.next("GET /asset", answerInstead(asset({ names })));
  const ran = await project.run("run", "rounds.yaml", "--debug");
  expect(ran.stdout, ran.transcript).toContain("each[");
  for (const [path, page] of await everyPage(await viewing(project))) expectNone(page, path);
  expectNoneIn(project, ran);
});
