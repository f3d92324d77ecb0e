import { readFileSync } from "node:fs";
import MarkdownIt from "markdown-it";
import { validate as validCtrf } from "ctrf";
import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Html, parse, parseFragment } from "parse5";
import { SaxesParser } from "saxes";
import { Parser as TapParser } from "tap-parser";
import { beforeAll, describe, expect, test } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import { type JsonObject, parseJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { exchangingFor } from "../../../src/exchanges/step-of-exchange.ts";
import { patternOf } from "../../../src/expression/pattern.ts";
import type { RunRecord } from "../../../src/protocol/record.ts";
import { FORMATS, type Format } from "../../../src/report/formats/format.ts";
import { comparePage } from "../../../src/report/html/pages/compare.ts";
import { runPage } from "../../../src/report/html/pages/page.ts";
import { overviewPage } from "../../../src/report/html/pages/overview.ts";
import { NO_OVERVIEW } from "./no-overview.ts";
import { runsPage } from "../../../src/report/html/pages/runs.ts";
import { reportOf } from "../../../src/report/model.ts";
import type { NotBegun } from "../../../src/report/shape.ts";
import { Trace } from "../../../src/report/otlp/trace.ts";
import type { ReportedRun } from "../../../src/report/reported-run.ts";
import { type Writer, WRITERS } from "../../../src/report/formats/writers.ts";
import { userValidator } from "../../../src/schema/user.ts";
import type { Validate } from "../../../src/schema/validator.ts";
import { isNightly } from "../../sizes.ts";
import { dangersOf, GROUPS, hostileAudit, hostileRow, hostileRun, READABLE, SERVED_FOLDER, staysBelow } from "./hostile.ts";
import { exchangesOf, Records, RUNS, START } from "./records.ts";

const PLACES = { cwd: "/here", root: "/here", hint: PLAIN_HINT };
const writers = new Map<Format, Writer>();
beforeAll(async () => {
  for (const format of FORMATS) writers.set(format, await WRITERS[format]());
});

function reported(records: readonly RunRecord[]): ReportedRun {
  return { report: reportOf(records), records: () => records, exchanges: () => exchangesOf(records) };
}

const every: readonly ReportedRun[] = Object.values(RUNS).map((records) => reported(records().all));

function written(format: Format, runs: readonly ReportedRun[], notBegun: readonly NotBegun[] = []): string {
  return [...(writers.get(format)?.(runs, PLACES, notBegun) ?? [])].join("");
}

const of = (name: keyof typeof RUNS): ReportedRun => reported(RUNS[name]?.().all ?? []);

interface Ctrf {
  readonly results: {
    readonly summary: Readonly<Record<string, number>>;
    readonly tests: readonly { readonly name: string; readonly status: string; readonly rawStatus: string }[];
  };
}

describe("CTRF", () => {
  test("every kind of run matches the published schema", () => {
    for (const runs of [every, [], ...every.map((run) => [run])]) {
      expect(validCtrf(JSON.parse(written("ctrf", runs)))).toMatchObject({ valid: true, errors: [] });
    }
    expect(validCtrf({ reportFormat: "CTRF", specVersion: "0.0.0", results: {} })).toMatchObject({ valid: false });
  });

  test("only known successes are green, and the summary counts all tests", () => {
    const { results } = JSON.parse(written("ctrf", every)) as Ctrf;
    const { summary, tests } = results;
    const statuses = new Map(tests.map(({ rawStatus, status }) => [rawStatus, status]));
    expect(Object.fromEntries(statuses)).toMatchObject({
      changed: "passed",
      failed: "failed",
      unknown: "failed",
      pending: "failed",
      skipped: "skipped",
      "not-run": "skipped",
      interrupted: "failed",
    });
    expect(tests).toHaveLength(summary["tests"] ?? 0);
    expect(summary["passed"]).toBe(tests.filter(({ status }) => status === "passed").length);
    expect(summary).toMatchObject({ start: START, suites: every.length });
  });
});

interface Tapped {
  readonly ok: boolean;
  readonly name: string;
  readonly skip: boolean | string;
  readonly todo: boolean | string;
  readonly diag: JsonObject | null;
}

/** Returns the points of each subtest, as a TAP parser reads them. Fails if the text is not valid TAP. */
function tapped(text: string): readonly (readonly Tapped[])[] {
  const subtests: Tapped[][] = [];
  const odd: string[] = [];
  const parser = new TapParser();
  parser.on("child", (child: TapParser) => {
    const points: Tapped[] = [];
    subtests.push(points);
    child.on("assert", (point: Tapped) => points.push(point));
    child.on("extra", (line: string) => odd.push(line));
  });
  parser.on("extra", (line) => odd.push(line));
  parser.on("bailout", (why) => odd.push(why));
  parser.end(text);
  expect(parser.results?.failures.filter(({ tapError }) => tapError !== null) ?? []).toEqual([]);
  expect(odd).toEqual([]);
  return subtests;
}

describe("TAP", () => {
  test("a run is a subtest, a row is a point, and a step that was not done is a SKIP", () => {
    const [failed = [], pending = [], unknown = []] = tapped(written("tap", [of("failed"), of("pending"), of("unknown")]));
    expect(failed.map(({ ok, skip }) => [ok, skip])).toEqual([
      [true, "its condition did not hold, or its list was empty"],
      [false, false],
      [true, "not run"],
      [true, "not run"],
    ]);
    expect(failed[1]?.diag).toMatchObject({
      message: "service.refused: cap reached",
      code: "service.refused",
      severity: "fail",
      at: { line: 15 },
    });
    expect(pending.filter(({ ok }) => !ok).map(({ name, todo }) => [name, todo])).toEqual([
      ["approvals[dora]: Approve the transfer", false],
    ]);
    expect(unknown.map(({ ok }) => ok)).toEqual([true, false, true, true]);
    expect(written("tap", [of("failed")])).toMatch(/^not ok 1 - Onboard a property: failed$/m);
    expect(written("tap", [of("passed")])).toMatch(/^ok 1 - Onboard a property$/m);
  });
});

const markdown = new MarkdownIt({ html: true, linkify: true });

describe("Markdown", () => {
  test("the report begins with what needs attention, and lists every step", () => {
    const text = written("md", [of("failed")]);
    expect(text).toContain("## ✗ failed: `Onboard a property`");
    expect(text).toContain("**✗ failed** `mint: Mint the shares`");
    expect(text).toContain("service.refused: cap reached\nwhy: the cap is 100\n");
    expect(text.indexOf("cap reached")).toBeLessThan(text.indexOf("| outcome | step |"));
    expect(text).toContain("to continue: `tokenbook resume 20261121T0930-k3x9q2ab`");
    expect(written("md", every)).toContain(`## ${every.length} runs`);
  });

  test("the report fits into a comment, and shows how much it leaves out", () => {
    const long = written(
      "md",
      Array.from({ length: 400 }, () => of("failed")),
    );
    expect(long.length).toBeLessThan(LIMITS.markdownChars + 100);
    expect(long).toMatch(/\*\d+ parts more did not fit in here\.\*\n$/);
  });
});

const eventSchema = JSON.parse(readFileSync(new URL("../../../schemas/event.schema.json", import.meta.url), "utf8")) as object;
const validEvent: Validate = userValidator(eventSchema, patternOf);

describe("NDJSON", () => {
  test("every event matches the published schema, which allows no other field", () => {
    const lines = written("ndjson", every).trimEnd().split("\n");
    const kinds = new Set<unknown>();
    for (const line of lines) {
      expect(validEvent(parseJson(line)), line).toEqual([]);
      expect(validEvent(parseJson(line.replace('"run":', '"stray":1,"run":'))), line).not.toEqual([]);
      kinds.add((JSON.parse(line) as { kind: string }).kind);
    }
    expect(lines).toHaveLength(every.reduce((sum, { records }) => sum + [...records()].length, 0));
    expect(kinds.size).toBeGreaterThan(7);
  });

  test("numbers keep every digit, and events do not contain the texts of playbooks", () => {
    const [opened, ...others] = RUNS["passed"]?.().all ?? [];
    const text = written("ndjson", [reported([{ ...opened, sources: { "a.yaml": "playbook: 1" } } as RunRecord, ...others])]);
    expect(text).toContain('"shares":12345678901234567890.50');
    expect(text).not.toContain("sources");
  });
});

describe("annotations", () => {
  test("each step that did not end as expected has an annotation at its line", () => {
    expect(written("github", [of("failed")])).toBe(
      '::error file=playbooks/onboarding.yaml,line=15,title=failed service.refused::mint: Mint the shares%0Aacted as carol%0Aservice.refused: cap reached%0Awhy: the cap is 100%0Aseen: {"asked":100.00}%0Anext: lower the value%0Arun 20261121T0930-k3x9q2ab\n',
    );
    expect(written("github", [of("passed")])).toBe("");
    expect(written("github", [of("pending")])).toMatch(/^::warning /);
  });

  test("the last annotation counts those that GitHub would not show", () => {
    const lines = written(
      "github",
      Array.from({ length: 25 }, () => of("failed")),
    )
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(LIMITS.annotations);
    expect(lines.at(-1)).toBe("::error title=tokenbook::and 16 steps more");
  });
});

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly status: { readonly code: number };
        readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[];
      }[];
    }[];
  }[];
}

function spansIn(text: string): Traces["resourceSpans"][0]["scopeSpans"][0]["spans"] {
  return (JSON.parse(text) as Traces).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

describe("OTLP", () => {
  test("the run, each step that began, and each attempt of a write have a span", () => {
    const spans = spansIn(written("otlp", [of("failed")]));
    expect(spans.map(({ name, kind, status }) => [name, kind, status.code])).toEqual([
      ["run Onboard a property", 1, 2],
      ["step asset", 1, 0],
      ["step mint", 1, 2],
      ["POST", 3, 2],
    ]);
    const [root, , mint, sent] = spans;
    expect(mint?.parentSpanId).toBe(root?.spanId);
    expect(sent?.parentSpanId).toBe(mint?.spanId);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    }
    expect(root?.startTimeUnixNano).toBe(`${START}000000`);
  });

  test("a span of a step in a block has the block, or its round, as parent", () => {
    const steps = [
      { id: "pay", name: "pay", uses: "block", line: 1, kind: "block" as const },
      { id: "mint", name: "mint", uses: "ledger.token.mint", line: 2, depth: 1 },
    ];
    const records = new Records().opened({ steps }).expanded("pay", ["alice", "bob"]);
    for (const key of ["alice", "bob"]) records.add({ kind: "step.begun", step: `pay[${key}]` }).written(`mint[${key}]`);
    const spans = spansIn(written("otlp", [reported(records.closed("passed").all)]));
    const nameOf = (spanId: string | undefined): unknown =>
      spans.find((span) => span.spanId === spanId)?.attributes.find(({ key }) => key === "tokenbook.step")?.value["stringValue"];
    expect(spans.filter(({ name }) => name === "step mint").map(({ parentSpanId }) => nameOf(parentSpanId))).toEqual([
      "pay[alice]",
      "pay[bob]",
    ]);
  });

  test("each request has the traceparent of its own span, and secrets in its path are masked", async () => {
    const redact = redactor([new Secret("PIN", "c4nary-of-a-path")]);
    const trace = new Trace({ clock: { now: () => START, elapsed: () => 0 }, redact });
    const outgoing = {
      origin: "http://127.0.0.1:1",
      method: "GET",
      path: "/asset?id=c4nary-of-a-path",
      headers: {},
      body: undefined,
      fresh: false,
      fence: undefined,
      timeoutMs: 1,
      signal: undefined,
    } as const;
    const sent: string[] = [];
    await exchangingFor("mint", () =>
      trace.exchange(outgoing, async ({ headers }) => {
        sent.push(String(headers["traceparent"]));
        return { kind: "answered", status: 503, headers: {}, text: "" };
      }),
    );
    const run = of("passed");
    const spans = spansIn(written("otlp", [{ ...run, trace }]));
    const exchange = spans.find(({ kind }) => kind === 3);
    expect(sent).toEqual([`00-${trace.id}-${exchange?.spanId}-01`]);
    expect(spans.find(({ spanId }) => spanId === exchange?.parentSpanId)?.name).toBe("step mint");
    expect(exchange?.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: "503" } });
    expect(JSON.stringify(spans)).not.toContain("c4nary");
  });
});

// Our pages consist of these elements. No text from outside may add another element.
const PAGE_ELEMENTS = new Set(
  "html head meta title style body script a article b button code dd details div dl dt footer h1 h2 h3 header input label li main nav ol p pre section span summary table tbody td th thead time tr ul svg rect line path circle".split(
    " ",
  ),
);
const SERVED_ELEMENTS = new Set([...PAGE_ELEMENTS, "form", "select", "option"]);
const MARKDOWN_ELEMENTS = new Set("h2 h3 p strong em code pre details summary table thead tbody tr th td".split(" "));

function elementsOf(node: Html.Node): readonly Html.Element[] {
  const own = tree.isElementNode(node) ? [node] : [];
  return "childNodes" in node ? [...own, ...node.childNodes.flatMap(elementsOf)] : own;
}

function strangers(html: Html.Node, allowed: ReadonlySet<string>, page?: string): readonly string[] {
  return elementsOf(html).flatMap(({ tagName, attrs }) => [
    ...(allowed.has(tagName) ? [] : [tagName]),
    ...attrs
      .filter(
        ({ name, value }) =>
          /^on|^style$|^src/.test(name) || (name === "href" && !value.startsWith("#") && !staysBelow(page, value)),
      )
      .map(({ name }) => name),
  ]);
}

function parsedXml(xml: string): number {
  let cases = 0;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    if (name === "testcase") cases++;
    expect(XML_ELEMENTS.has(name), name).toBe(true);
  });
  parser.write(xml).close();
  return cases;
}

const XML_ELEMENTS = new Set("testsuites testsuite properties property testcase failure error skipped system-out".split(" "));

describe("a run with hostile texts in every field writes harmless reports", () => {
  test.each(GROUPS.map((texts, at) => [at + 1, texts] as const))("group %i", (_, texts) => {
    const runs = texts.map(([text = "", ...others]) => reported(hostileRun(text, others).all));
    for (const format of FORMATS) {
      const output = written(format, runs);
      expect(dangersOf(withoutOwnCommands(format, output)), format).toEqual([]);
    }
    expect(parsedXml(written("junit", runs))).toBe(texts.length * 5);
    for (const format of ["json", "otlp", "har"] as const) JSON.parse(written(format, runs));
    for (const line of written("ndjson", runs).trimEnd().split("\n")) JSON.parse(line);
    expect(validCtrf(JSON.parse(written("ctrf", runs)))).toMatchObject({ valid: true });
    expect(strangers(parse(written("html", runs)), PAGE_ELEMENTS)).toEqual([]);
    expect(tapped(written("tap", runs)).map((points) => points.map(({ ok }) => ok))).toEqual(
      texts.map(() => [true, true, false, false, true]),
    );
    for (const run of runs) {
      expect(strangers(parseFragment(markdown.render(written("md", [run]))), MARKDOWN_ELEMENTS)).toEqual([]);
      const lines = written("github", [run]).trimEnd().split("\n");
      expect(lines.filter((line) => !/^::(?:error|warning) file=[^:]*,line=\d+,title=[^:]*::/.test(line))).toEqual([]);
      expect(lines).toHaveLength(2);
    }
  });

  test("no hostile text becomes an element of a page of `tokenbook view`", () => {
    for (const text of GROUPS.flat(2).slice(0, isNightly ? 200 : 75)) {
      const report = reportOf(hostileRun(text).all);
      const row = hostileRow(text);
      const pages = [
        overviewPage({ ...NO_OVERVIEW, runs: [row], latest: [row] }),
        ...[text, ""].map((words) => runsPage({ runs: [row], total: 2 }, { outcome: words, words })),
        comparePage(report, report),
        runPage(report, { events: 1, heldBy: text }),
        hostileAudit(report, text),
      ];
      for (const page of pages) {
        const html = [...page].join("");
        expect(dangersOf(html)).toEqual([]);
        expect(strangers(parse(html), SERVED_ELEMENTS, `${SERVED_FOLDER}runs/run`)).toEqual([]);
      }
    }
  });
});

test.each(FORMATS)("ordinary foreign text is unchanged in %s", (format) => {
  const text = READABLE.join(" ");
  expect(written(format, [reported(hostileRun(text).all)])).toContain(text);
});

// Removes our own commands: in a format made of commands, every line begins with one.
function withoutOwnCommands(format: Format, output: string): string {
  return format === "github" ? output.replaceAll(/^::(?:error|warning) /gm, "") : output;
}

describe("a playbook whose run did not begin", () => {
  const problem = { code: "environment.no-interface", message: "it has no <b>investor</b> interface", next: "tokenbook doctor" };
  const notBegun: readonly NotBegun[] = [{ playbook: { name: "Buy # 1", file: "buy.yaml" }, problem }];
  const beside = [of("passed")];

  test("counts as failed beside a run that passed", () => {
    const { results } = JSON.parse(written("ctrf", beside, notBegun)) as Ctrf;
    expect(validCtrf(JSON.parse(written("ctrf", beside, notBegun)))).toMatchObject({ valid: true, errors: [] });
    expect(results.summary).toMatchObject({ tests: 6, passed: 5, failed: 1, suites: 2 });
    expect(results.tests.at(-1)).toMatchObject({ name: "the run itself", status: "failed", rawStatus: "not-begun" });
    expect(tapped(written("tap", beside, notBegun))[1]).toMatchObject([{ ok: false, name: "the run itself" }]);
    expect(written("tap", beside, notBegun)).toMatch(/^not ok 2 - Buy \\# 1: not begun$/m);
    expect(written("junit", beside, notBegun)).toMatch(/<testsuites tests="6" failures="1" errors="0" skipped="0">/);
    expect(written("github", beside, notBegun)).toMatch(
      /^::error file=buy\.yaml,line=1,title=not begun environment\.no-interface::/,
    );
  });

  test("is in the reports for people and programs, with the reason and the fix", () => {
    const page = written("html", beside, notBegun);
    expect(page).toContain("<title>1 run, 1 not begun – tokenbook</title>");
    expect(page).toContain("1 run: 1 passed, 1 not begun");
    for (const text of [page, written("md", beside, notBegun)])
      for (const words of ["1 run, 1 not begun", "buy.yaml", "tokenbook doctor"]) expect(text).toContain(words);
    expect(page).toContain("it has no &lt;b&gt;investor&lt;/b&gt; interface");
    expect(JSON.parse(written("json", beside, notBegun))).toMatchObject({ reports: [{}], notBegun });
  });

  test("is in each report even if no run began at all", () => {
    for (const format of ["html", "md", "junit", "ctrf", "tap", "json", "github"] as const)
      expect(written(format, [], notBegun), format).toContain("environment.no-interface");
  });
});

test("no report of a run in progress says that it has ended", () => {
  const writing = new Records().opened().written("asset").intended("mint").all;
  for (const format of ["html", "md", "junit", "tap", "ctrf", "github"] as const) {
    const text = written(format, [reported(writing)]);
    expect(text, format).toContain("recorded");
    expect(text, format).not.toMatch(/run ended/i);
  }
});
