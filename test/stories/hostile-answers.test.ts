import { expect, test } from "vitest";
import { FORMATS, type Format } from "../../src/report/formats/format.ts";
import { answerInstead, proxyTo } from "./proxy.ts";
import { hook, notifying } from "./schedule.ts";
import { type Ended, KEYS, newProject, type Project, runIn, servedSandbox } from "./world.ts";
import { dangersOf } from "../unit/report/hostile.ts";
import { elementsOf } from "../unit/report/xml.ts";

// Colours, a title, a clipboard write, a link; commands of CI systems; the end of a CDATA section; direction overrides; invisible characters.
const HOSTILE =
  "\u001b[31mred\u001b]0;title\u0007\u001b]52;c;cm0gLXJm\u0007\u009b2J\u202egnp.exe\n::error file=a::pwned\n##vso[task.complete]done\r::set-output name=x::y\n]]><failure/>\u0000&amp;\n  ::add-mask::x\n##[error]x ##teamcity[x] a\u200bb\ufeff\u{e0041}\u00ad\u2060\u2028::notice::x";

// In YAML, which refuses some of these characters unless they are escaped.
const WRITTEN = JSON.stringify(HOSTILE).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

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

test("control characters in a service's answer are shown as text, and reach no terminal or report as commands", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  await service.call("POST /asset", "userId:alice", {
    assetType: "Property",
    data: { id: "HOUSE", note: HOSTILE, names: [HOSTILE] },
  });

  project.write("read.yaml", READ);
  const read = await run(project, "read.yaml");
  expect(read.code, read.transcript).toBe(0);
  expect(read.stdout, read.transcript).toContain(String.raw`\u001b[31mred`);

  project.write("expect.yaml", READ.replace("outputs:", '    expect: [response.data.note == "harmless"]\noutputs:'));
  const expected = await run(project, "expect.yaml");
  expect(expected.code, expected.transcript).toBe(1);

  project.write(
    "rounds.yaml",
    READ.replace(
      "outputs:",
      `  - id: each\n    foreach: { name: "\${{ steps.house.response.data.names }}", key: name }\n    uses: ledger.asset.get\n    with: { assetType: Property, id: "\${{ name }}" }\noutputs:`,
    ),
  );
  const rounds = await run(project, "rounds.yaml");
  expect(rounds.code, rounds.transcript).toBe(1);

  void proxy.next("GET /asset", answerInstead({ status: 404, body: JSON.stringify({ message: HOSTILE, condition: HOSTILE }) }));
  const refused = await run(project, "read.yaml");
  expect(refused.code, refused.transcript).toBe(1);

  // A write that the service refuses with such a text. The kept text is shown later, and must be as harmless then.
  project.write("write.yaml", WRITE);
  void proxy.next(
    "POST /asset",
    answerInstead({ status: 422, body: JSON.stringify({ status: "Error", message: HOSTILE, condition: HOSTILE }) }),
  );
  const written = await run(project, "write.yaml");
  expect(written.code, written.transcript).toBe(1);
  const shown = await project.run("runs", "show", runIn(written));
  expect(shown.stdout, shown.transcript).toContain(String.raw`\u001b[31mred`);
  expectHarmless(shown);

  for (const format of FORMATS) {
    const printed = await project.run("report", runIn(written), "--format", format);
    expectHarmless({ ...printed, stdout: withoutOwn(format, printed.stdout) });
  }
  for (const args of [
    ["runs", "export", runIn(written)],
    ["runs", "export", runIn(read)],
    ["runs", "show", runIn(read), "--json"],
  ])
    expectHarmless(await project.run(...args));
  const exported = (await project.run("runs", "export", runIn(read))).lines.map(
    (line) => JSON.parse(line) as { body: { outputs?: object } },
  );
  expect(exported.at(-1)?.body.outputs).toMatchObject({ note: HOSTILE });
  expect((await project.run("runs", "verify")).code).toBe(0);

  void proxy.next(
    "GET /asset",
    answerInstead({ status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: HOSTILE }),
  );
  const plain = await run(project, "read.yaml");
  expect(plain.code, plain.transcript).toBe(1);
});

test("hostile text in the first answer of a service stops the run, and does no harm", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("write.yaml", WRITE);
  void proxy.next("GET /status", answerInstead({ status: 403, body: JSON.stringify({ message: HOSTILE }) }));
  const ended = await project.run("run", "write.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  expectHarmless(ended);
  expect(await service.commits()).toEqual([]);
});

test("hostile text from a service does no harm in the log of a schedule and in its notifications", async () => {
  const { url, posted } = await hook(200);
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject({ ...KEYS, DESK_URL: url });
  notifying(project, proxy.url, "  desk: { url: env:DESK_URL }\n");
  project.write("read.yaml", READ);
  void proxy.next("GET /asset", answerInstead({ status: 404, body: JSON.stringify({ message: HOSTILE, condition: HOSTILE }) }));
  for (const flags of [["--json"], ["--report", "json=-"]]) {
    const ended = await project.run("schedule", "--once", "read.yaml", ...flags);
    expect(ended.code, ended.transcript).toBe(1);
    expectHarmless(ended);
    for (const list of [["list"], ["history"], ["history", "--json"]]) expectHarmless(await project.run("schedule", ...list));
  }
  const [first] = posted;
  expect(dangersOf(first?.body ?? "")).toEqual([]);
  expect(dangersOf(first?.notification.summary ?? "")).toEqual([]);
  expect(dangersOf(first?.notification.problem?.message ?? "")).toEqual([]);
});

test("hostile text in a playbook does no harm in the output of any command", async () => {
  const project = newProject();
  project.write("own.yaml", `playbook: 1\nname: ${WRITTEN}\nsteps: [{ id: status, name: ${WRITTEN}, uses: ledger.status }]\n`);
  const ended = await run(project, "own.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  project.write("wrong.yaml", `playbook: 1\nname: x\nsteps: [{ id: status, uses: ${WRITTEN} }]\n`);
  for (const command of ["check", "run"]) {
    const wrong = await project.run(command, "wrong.yaml");
    expect(wrong.code, wrong.transcript).toBe(2);
    expectHarmless(wrong);
  }
  for (const command of [["check", "--format", "sarif"], ["fmt", "--diff"], ["plan"], ["run", "--json"], ["doctor"]])
    expectHarmless(await project.run(...command, ...(command[0] === "doctor" ? [] : ["own.yaml"])));
  const { data, ...transcript } = await project.json("check", "wrong.yaml");
  expectHarmless(transcript);
  expect(data.files[0]?.diagnostics[0]?.message).toContain(HOSTILE);
});

// Runs the playbook, and checks that every output is harmless: the log and each report.
async function run(project: Project, file: string): Promise<Ended> {
  const ended = await project.run("run", file, "--report", FORMATS.map((format) => `${format}=report.${format}`).join(","));
  expectHarmless(ended);
  for (const format of FORMATS) expect(dangersOf(withoutOwn(format, project.read(`report.${format}`))), format).toEqual([]);
  const [xml, json] = [project.read("report.junit"), project.read("report.json")];
  expect(elementsOf(xml).filter(({ name }) => name === "failure").length, xml).toBe(ended.code === 0 ? 0 : 1);
  expect(() => JSON.parse(json)).not.toThrow();
  expect(xml).not.toContain(KEYS["LEDGER_KEY"]);
  return ended;
}

function expectHarmless({ stdout, stderr, transcript }: Ended): void {
  expect(dangersOf(stdout), transcript).toEqual([]);
  expect(dangersOf(stderr), transcript).toEqual([]);
}

// Every line of the annotations is a command of tokenbook.
function withoutOwn(format: Format, text: string): string {
  return format === "github" ? text.replaceAll(/^::(?:error|warning) /gm, "") : text;
}
