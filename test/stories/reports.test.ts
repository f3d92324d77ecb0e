import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FORMATS } from "../../src/report/formats/format.ts";
import { proxyTo } from "./proxy.ts";
import { KEYS, MINT_ONCE, newProject, type Project, runIn, servedSandbox } from "./world.ts";

const FAILS = MINT_ONCE.replace("totalSupply == 10]", "totalSupply == 11]");

function fileOf(format: string): string {
  return `out/deep/report.${format}`;
}

const EVERY = FORMATS.map((format) => `${format}=${fileOf(format)}`).join(",");

async function projectAtSandbox(): Promise<{ project: Project; proxy: Awaited<ReturnType<typeof proxyTo>> }> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  project.write("fails.yaml", FAILS);
  return { project, proxy };
}

test("every format at once, in a folder that was not there; afterwards the journal gives the same", async () => {
  const { project } = await projectAtSandbox();
  const ended = await project.run("run", "fails.yaml", "--report", EVERY);
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stderr, ended.transcript).toBe("");
  const written = new Map(FORMATS.map((format) => [format, project.read(fileOf(format))]));
  for (const format of FORMATS) expect(statSync(join(project.folder, fileOf(format))).mode & 0o777, format).toBe(0o600);
  for (const format of FORMATS) {
    const printed = await project.run("report", "latest", "--format", format);
    expect(printed.code, printed.transcript).toBe(0);
    // The exchanges of a run are known only while it is in progress.
    if (format !== "otlp") expect(printed.stdout, format).toBe(written.get(format));
  }
  const both = await project.run(
    "report",
    runIn(ended),
    "latest",
    "--report",
    "junit=both.xml",
    "--report",
    "html=both.html,md=both.md",
  );
  expect(both.code, both.transcript).toBe(0);
  expect(both.stdout, both.transcript).toBe("");
  expect(both.stderr.split("\n").slice(0, -1), both.transcript).toEqual([
    "the junit report is in both.xml",
    "the html report is in both.html",
    "the md report is in both.md",
  ]);
  expect(project.read("both.xml").match(/<testsuite /g)).toHaveLength(2);
  expect(project.read("both.html")).toContain("2 runs: 2 failed");
});

test("a file that cannot be written is reported before anything is sent", async () => {
  const { project, proxy } = await projectAtSandbox();
  mkdirSync(join(project.folder, "reports"));
  for (const [report, why] of [
    ["html=reports", "it is a folder"],
    ["html=mint.yaml/report.html", "ENOTDIR"],
    ["html=/proc/nowhere/report.html", "ENOENT"],
    ["junit=x.xml,html=./x.xml", "where something else is written too"],
    ["junit=-,tap=/dev/stdout", "where something else is written too"],
  ]) {
    const ended = await project.run("run", "mint.yaml", "--report", report ?? "");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toMatch(new RegExp(why ?? ""));
    expect(ended.stderr, ended.transcript).toContain("why: nothing was sent");
  }
  const unknown = await project.run("run", "mint.yaml", "--report", "pdf=x.pdf");
  expect(unknown.code, unknown.transcript).toBe(2);
  expect(unknown.stderr, unknown.transcript).toContain("with a format of json, junit, html");
  expect(proxy.seen).toEqual([]);
  const none = await project.run("report", "latest");
  expect(none.code, none.transcript).toBe(2);
  expect(none.stderr, none.transcript).toContain("tokenbook report latest --report html=report.html");
  const nothing = await project.run("report", "latest", "--format", "md");
  expect(nothing.stderr, nothing.transcript).toContain("there is no run in this state directory yet");
});

test.for([
  "run mint.yaml --report html=mint.yaml",
  "run mint.yaml --report html=.env",
  "run mint.yaml --debug=mint.yaml",
  "report latest --report html=mint.yaml",
  "plan mint.yaml --out mint.yaml",
  "plan mint.yaml --out tokenbook.yaml",
  "coverage --report html=mint.yaml",
])("what people wrote is not replaced by: tokenbook %s", async (command) => {
  const { project } = await projectAtSandbox();
  project.write(".env", "REGION=us\n");
  await project.run("run", "mint.yaml");
  const names = ["mint.yaml", "tokenbook.yaml", ".env"];
  const before = names.map((name) => project.read(name));
  const ended = await project.run(...command.split(" "));
  expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining("a file that people write")]);
  expect(names.map((name) => project.read(name))).toEqual(before);
});

test("a report that cannot be written after the run leaves the other reports, and an exit code that no job takes for a success", async () => {
  const { project } = await projectAtSandbox();
  const missing = (format: string): string =>
    `error report.missing\n  the report ${format}=/dev/full could not be written: no space is left on the disk (ENOSPC)`;
  const ended = await project.run("run", "mint.yaml", "--report", "html=/dev/full,tap=report.tap");
  expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(missing("html"))]);
  expect(ended.stdout, ended.transcript).toContain("✓ passed");
  expect(project.read("report.tap")).toContain("ok 1 - Mint once");
  for (const command of ["report latest", "coverage", "schedule mint.yaml --once"]) {
    const again = await project.run(...command.split(" "), "--report", "junit=/dev/full");
    expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining(missing("junit"))]);
  }
});

test("a report on stdout is the only output there", async () => {
  const { project } = await projectAtSandbox();
  const ended = await project.run("run", "mint.yaml", "--report", "ctrf=-");
  expect(JSON.parse(ended.stdout)).toMatchObject({ reportFormat: "CTRF" });
  expect(ended.stderr, ended.transcript).toContain("✓ passed");
  const twice = await project.run("run", "mint.yaml", "--report", "ctrf=-", "--json");
  expect(twice.code, twice.transcript).toBe(2);
});

test("in a job of GitHub Actions: annotations in the log, and the summary of the job", async () => {
  const { project } = await projectAtSandbox();
  const job = project.as({ ...KEYS, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(project.folder, "summary.md") });
  project.write("summary.md", "before\n");
  const ended = await job.run("run", "fails.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toMatch(/^::error file=fails\.yaml,line=18,title=failed expect\.failed::after/m);
  expect(project.read("summary.md")).toMatch(/^before\n\n## ✗ failed: `Mint once`/);
  const json = await job.run("run", "fails.yaml", "--json");
  expect(() => JSON.parse(json.stdout)).not.toThrow();
  expect(json.stderr, json.transcript).toMatch(/^::error /m);
  expect(project.read("summary.md").match(/^## /gm)).toHaveLength(2);
});

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function receive(request: IncomingMessage): Promise<Received> {
  return { url: request.url, headers: request.headers, body: (await buffer(request)).toString() };
}

/** A collector of traces that always sends this answer. */
async function collector(status: number): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void receive(request).then((got) => received.push(got));
    request.on("end", () => response.writeHead(status).end("{}"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

test("traces go to the collector that the variables name, and each request names its span", async () => {
  const { project, proxy } = await projectAtSandbox();
  const { url, received } = await collector(200);
  const traced = project.as({
    ...KEYS,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=c4nary%2Fkey,x-tenant=a",
  });
  const ended = await traced.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(received).toMatchObject([
    { url: "/v1/traces", headers: { "x-key": "c4nary/key", "x-tenant": "a", "content-type": "application/json" } },
  ]);
  const { body = "" } = received[0] ?? {};
  for (const { headers } of proxy.exchanges) {
    const [, , spanId = "no"] = String(headers["traceparent"]).split("-");
    expect(body).toContain(`"spanId":"${spanId}"`);
  }
  expect(body.match(/"http\.request\.method"/g)).toHaveLength(proxy.exchanges.length);
  expect(ended.stdout + ended.stderr).not.toContain("c4nary");

  const before = proxy.exchanges.length;
  expect((await project.run("run", "mint.yaml")).code).toBe(0);
  expect(proxy.exchanges.slice(before).filter(({ headers }) => "traceparent" in headers)).toEqual([]);
});

test.for([
  ["of no scheme that is taken", "ftp://robot:pass-w0rd@collector.example/t0ken?key=t0ken"],
  ["without a scheme", "robot:pass-w0rd@collector.example:4318/t0ken"],
  ["that is none", "https://robot:pass-w0rd@collector.example:99999/t0ken"],
  ["of nobody", "http://robot:pass-w0rd@127.0.0.1:9/t0ken?key=t0ken"],
])("the address of a collector is shown by no message, one %s neither", async ([, address = ""]) => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  for (const name of ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]) {
    const ended = await project.as({ ...KEYS, [name]: address }).run("run", "mint.yaml");
    expect(ended.stderr, ended.transcript).toMatch(
      address.includes(":9/") ? /the report to http:\/\/127\.0\.0\.1:9 was left out/ : new RegExp(`${name} holds no`),
    );
    expect(ended.transcript).not.toMatch(/robot|w0rd|t0ken/);
  }
});

test("a collector that does not answer well costs nothing but a line on stderr", async () => {
  const { project } = await projectAtSandbox();
  const { url } = await collector(503);
  const ended = await project.as({ ...KEYS, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own` }).run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr, ended.transcript).toBe(`tokenbook: the report to ${url} was left out: the collector answered HTTP 503\n`);
  const wrong = await project.as({ ...KEYS, OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }).run("run", "mint.yaml");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain("set OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318");
});

test("the schema of events is printed, and is the published one", async () => {
  const project = newProject();
  const { stdout } = await project.run("schema", "event");
  expect(stdout).toBe(readFileSync(new URL("../../schemas/event.schema.json", import.meta.url), "utf8"));
  expect(existsSync(join(project.folder, ".tokenbook"))).toBe(false);
});
