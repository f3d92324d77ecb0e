import { expect, test } from "vitest";
import { FORMATS } from "../../src/report/format.ts";
import { answerInstead, proxyTo } from "./proxy.ts";
import { type Ended, KEYS, newProject, type Project, runIn, sandboxProcess } from "./world.ts";
import { elementsOf } from "../unit/report/xml.ts";

// Colours, a title, a clipboard write, a link; a CI's commands, at the start of a line; what ends a CDATA section; direction overrides.
const HOSTILE =
  "\u001b[31mred\u001b]0;title\u0007\u001b]52;c;cm0gLXJm\u0007\u009b2J\u202egnp.exe\n::error file=a::pwned\n##vso[task.complete]done\r::set-output name=x::y\n]]><failure/>\u0000&amp;";

// As YAML takes it: JSON leaves the second set of control characters as they are.
const WRITTEN = JSON.stringify(HOSTILE).replaceAll("\u009b", String.raw`\u009b`);

const READ = `playbook: 1
name: Read what others wrote
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: house
    uses: ledger.asset.get
    with: { assetType: Property, id: HOUSE }
outputs:
  note: "\${{ steps.house.response.data.note }}"
  all: "\${{ steps.house.response.data }}"
`;

const WRITE = READ.replace(
  "steps:\n",
  'steps:\n  - id: own\n    uses: ledger.asset.create\n    with: { assetType: Property, data: { id: "O${{ run.key }}" } }\n',
);

test("what others wrote is shown, and obeyed by nobody", async () => {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  await service.call("POST /asset", "userId:alice", {
    assetType: "Property",
    data: { id: "HOUSE", note: HOSTILE, names: [HOSTILE] },
  });

  project.write("read.yaml", READ);
  const read = await run(project, "read.yaml");
  expect(read.code, read.told).toBe(0);
  expect(read.stdout, read.told).toContain(String.raw`\u001b[31mred`);

  project.write("expect.yaml", READ.replace("outputs:", '    expect: [response.data.note == "harmless"]\noutputs:'));
  const expected = await run(project, "expect.yaml");
  expect(expected.code, expected.told).toBe(1);

  project.write(
    "rounds.yaml",
    READ.replace(
      "outputs:",
      `  - id: each\n    foreach: { name: "\${{ steps.house.response.data.names }}", key: name }\n    uses: ledger.asset.get\n    with: { assetType: Property, id: "\${{ name }}" }\noutputs:`,
    ),
  );
  const rounds = await run(project, "rounds.yaml");
  expect(rounds.code, rounds.told).toBe(1);

  void proxy.next("GET /asset", answerInstead({ status: 404, body: JSON.stringify({ message: HOSTILE, condition: HOSTILE }) }));
  const refused = await run(project, "read.yaml");
  expect(refused.code, refused.told).toBe(1);

  // A write that is refused so: what is kept of it is shown later, and obeyed no more than now.
  project.write("write.yaml", WRITE);
  void proxy.next(
    "POST /asset",
    answerInstead({ status: 422, body: JSON.stringify({ status: "Error", message: HOSTILE, condition: HOSTILE }) }),
  );
  const written = await run(project, "write.yaml");
  expect(written.code, written.told).toBe(1);
  const shown = await project.run("runs", "show", runIn(written));
  expect(shown.stdout, shown.told).toContain(String.raw`\u001b[31mred`);
  expectHarmless(shown);

  void proxy.next(
    "GET /asset",
    answerInstead({ status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: HOSTILE }),
  );
  const plain = await run(project, "read.yaml");
  expect(plain.code, plain.told).toBe(1);
});

test("a service that greets with commands stops the run before it begins, and is obeyed by nobody", async () => {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("write.yaml", WRITE);
  void proxy.next("GET /status", answerInstead({ status: 403, body: JSON.stringify({ message: HOSTILE }) }));
  const ended = await project.run("run", "write.yaml");
  expect(ended.code, ended.told).toBe(2);
  expectHarmless(ended);
  expect(await service.commits()).toEqual([]);
});

test("a playbook may hold such text itself", async () => {
  const project = newProject();
  project.write("own.yaml", `playbook: 1\nname: ${WRITTEN}\nsteps: [{ id: status, name: ${WRITTEN}, uses: ledger.status }]\n`);
  const ended = await run(project, "own.yaml");
  expect(ended.code, ended.told).toBe(0);
  project.write("wrong.yaml", `playbook: 1\nname: x\nsteps: [{ id: status, uses: ${WRITTEN} }]\n`);
  for (const command of ["check", "run"]) {
    const wrong = await project.run(command, "wrong.yaml");
    expect(wrong.code, wrong.told).toBe(2);
    expectHarmless(wrong);
  }
  const { stdout, data } = await project.json("check", "wrong.yaml");
  expect(stdout).not.toMatch(CONTROLS);
  expect(data.files[0]?.diagnostics[0]?.message).toContain(HOSTILE);
});

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

// Runs, and holds every output to be harmless: plain, JUnit and JSON.
async function run(project: Project, file: string): Promise<Ended> {
  const more = FORMATS.filter((format) => format !== "junit" && format !== "json");
  const reports = ["junit=report.xml", "json=report.json", ...more.map((format) => `${format}=report.${format}`)];
  const ended = await project.run("run", file, "--report", reports.join(","));
  expectHarmless(ended);
  for (const format of more) expect(project.read(`report.${format}`), format).not.toMatch(CONTROLS);
  const [xml, json] = [project.read("report.xml"), project.read("report.json")];
  expect(xml + json, ended.told).not.toMatch(CONTROLS);
  expect(elementsOf(xml).filter(({ name }) => name === "failure").length, xml).toBe(ended.code === 0 ? 0 : 1);
  expect(() => JSON.parse(json)).not.toThrow();
  expect(xml).not.toContain(KEYS["LEDGER_KEY"]);
  return ended;
}

function expectHarmless({ stdout, stderr, told }: Ended): void {
  expect(stdout + stderr, told).not.toMatch(CONTROLS);
  // CI systems obey such a command at the start of a line, whatever blanks are before it, and `##` ones anywhere.
  for (const line of `${stdout}\n${stderr}`.split("\n")) expect(line, told).not.toMatch(/^\s*::|##\w*\[/);
}
