import junit, { type Builder, type TestCase, type TestSuite } from "junit-report-builder";
import { type Case, casesOf, COUNTED_AS, notBegunCase, warningLines } from "./cases.ts";
import { oneLine } from "./foreign-text.ts";
import { isFlaky, repeatedSteps } from "./repeats.ts";
import type { NotBegun, RunReport, StepReport } from "../shape.ts";
import { idleTexts } from "../steps/step-lines.ts";
import { actedAs } from "../words.ts";

// The module exports the builder itself, but its types declare it as `default`.
const junitBuilder = junit as unknown as Builder;

/**
 * Writes the reports as JUnit XML, as Jenkins and GitLab read it, with a suite for each run and a case for each row. A row is green only if it happened as
 * expected. An unknown or waiting step is an error. A step that was skipped or not run is skipped. A run that ended badly although no step did has a case of
 * its own, and so has a playbook whose run did not begin.
 */
export function* junitReport(reports: Iterable<RunReport>, notBegun: readonly NotBegun[] = []): Generator<string> {
  const totals = new Map<string, number>();
  for (const { counts } of suitesOf(reports, notBegun)) {
    for (const [name, number] of counts) totals.set(name, (totals.get(name) ?? 0) + number);
  }
  const attributes = Array.from(totals, ([name, number]) => ` ${name}="${number}"`).join("");
  yield `<?xml version="1.0" encoding="UTF-8"?>\n`;
  if (totals.size === 0) return yield "<testsuites/>\n";
  yield `<testsuites${attributes}>`;
  for (const { text } of suitesOf(reports, notBegun)) yield text;
  yield "\n</testsuites>\n";
}

/** A suite of a document that is not about runs. */
interface PlainSuite {
  /** The name of the suite, which is also the class name of each case. */
  readonly name: string;
  /** The cases, each with its output (empty for none) and the reason why it failed; `undefined` if it did not. */
  readonly cases: readonly { readonly name: string; readonly output: string; readonly failure: string | undefined }[];
}

/** Writes a suite as JUnit XML. */
export function junitSuite({ name, cases }: PlainSuite): string {
  const builder = junitBuilder.newBuilder();
  const suite = builder.testSuite().name(attribute(name));
  for (const each of cases) {
    const testCase = suite.testCase().className(attribute(name)).name(attribute(each.name));
    if (each.failure !== undefined) testCase.failure(attribute(each.failure));
    if (each.output !== "") testCase.standardOutput(legal(each.output));
  }
  return builder.build();
}

/** Some suites as text, with their counts. */
interface Suites {
  readonly text: string;
  readonly counts: Iterable<readonly [string, number]>;
}

// Suites are built one at a time, so that a document of many runs is never in memory as a whole.
function* suitesOf(reports: Iterable<RunReport>, notBegun: readonly NotBegun[]): Generator<Suites> {
  const repeated: RunReport[] = [];
  const classes = new Set<string>();
  for (const report of reports) {
    const own = inOwnClass(placeOf(report.run, report.row), report.run.id, classes);
    if (report.repeat === undefined) yield built((builder) => addSuite(builder, report, own));
    else repeated.push(report);
  }
  const byPlaybook = Map.groupBy(repeated, ({ run }) => run.playbook.file);
  for (const runs of byPlaybook.values()) yield built((builder) => addRepeated(builder, runs));
  for (const [at, each] of notBegun.entries()) {
    const own = inOwnClass(placeOf(each, each.row), `not begun ${at + 1}`, classes);
    yield built((builder) => addNotBegun(builder, each, own));
  }
}

function built(add: (builder: Builder) => void): Suites {
  const builder = junitBuilder.newBuilder();
  add(builder);
  const [, attributes = "", text = ""] = /<testsuites([^>]*)>([^]*)\n<\/testsuites>\s*$/.exec(builder.build()) ?? [];
  const counts = Array.from(attributes.matchAll(/(\w+)="(\d+)"/g), ([, name = "", number]) => [name, Number(number)] as const);
  return { text, counts };
}

// All runs of a playbook share one suite. A step that passed in one of them has passed, and lists the runs in which it failed. An error is never hidden.
function addRepeated(builder: Builder, runs: readonly RunReport[]): void {
  const [first] = runs;
  if (first === undefined) return;
  const suite = newSuite(builder, first, runs);
  for (const repeated of repeatedSteps(runs)) {
    const { good, bad, errors, others } = repeated;
    const [shown, ...more] = [...errors, ...good.slice(0, 1), ...bad, ...others.slice(0, 1)];
    if (shown === undefined) continue;
    const testCase = addCase(suite, shown, placeOf(first.run));
    const rest = more.filter((each) => errors.includes(each) || bad.includes(each));
    addChildren(testCase, rest, isFlaky(repeated) ? "flaky" : "rerun");
  }
}

// These elements are written as Maven Surefire does. The library does not support them.
function addChildren(testCase: TestCase, cases: readonly Case[], prefix: "flaky" | "rerun"): void {
  changeElement(testCase, (element) => {
    for (const { verdict, message, type, lines } of cases) {
      const child = element.ele(`${prefix}${COUNTED_AS[verdict].junit === "error" ? "Error" : "Failure"}`);
      child.att("message", attribute(message)).att("type", attribute(type));
      child.ele("stackTrace").txt(legal(lines.join("\n")));
    }
  });
}

function addSuite(builder: Builder, report: RunReport, place: CasePlace): void {
  const suite = newSuite(builder, report, [report]);
  for (const each of casesOf(report)) addCase(suite, each, place);
}

function newSuite(builder: Builder, { run }: RunReport, all: readonly RunReport[]): TestSuite {
  const suite = builder.testSuite().name(attribute(run.playbook.name)).timestamp(run.startedAt);
  suite.time(all.reduce((sum, each) => sum + (each.run.durationMs ?? 0), 0) / 1_000);
  for (const each of all) suite.property("run", attribute(each.run.id));
  suite.property("environment", attribute(run.target.environment));
  for (const each of all) suite.property("outcome", each.run.outcome);
  return suite;
}

function addNotBegun(builder: Builder, each: NotBegun, place: CasePlace): void {
  const suite = builder.testSuite().name(attribute(each.playbook.name)).property("outcome", "not-begun");
  addCase(suite, notBegunCase(each), place);
}

/** Where the cases of a suite belong. */
interface CasePlace {
  readonly file: string;
  readonly className: string;
}

// GitLab takes two cases with one class and one name for one, whatever their suites are.
function placeOf({ playbook: { file } }: Pick<NotBegun, "playbook">, row?: RunReport["row"]): CasePlace {
  return { file, className: row === undefined ? file : `${file} [${row.file}:${row.line}]` };
}

// One playbook may have several runs, as in `report RUN RUN`. GitLab would hide a failure of one of them behind another.
function inOwnClass(place: CasePlace, mark: string, classes: Set<string>): CasePlace {
  const className = classes.has(place.className) ? `${place.className} [${mark}]` : place.className;
  classes.add(className);
  return { ...place, className };
}

function addCase(suite: TestSuite, row: Case, { file, className }: CasePlace): TestCase {
  const { step, name, verdict, type, message, lines, warning, comparison, held } = row;
  const testCase = suite.testCase().className(attribute(className)).name(attribute(name));
  testCase.file(attribute(step?.file ?? file));
  if (step !== undefined) testCase.time((step.durationMs ?? 0) / 1_000);
  const text = legal(lines.join("\n"));
  const { junit: element } = COUNTED_AS[verdict];
  if (element === "failure") testCase.failure(attribute(message), attribute(type)).stacktrace(text);
  if (element === "error") testCase.error(attribute(message), attribute(type), text);
  if (element === "skipped") skip(testCase, message);
  const output = [...(step === undefined ? [] : evidenceOf(step)), ...held, ...comparison, ...warningLines(warning)].join("\n");
  if (output !== "") testCase.standardOutput(legal(output));
  return testCase;
}

// The library does not support a message for a skipped case.
function skip(testCase: TestCase, message: string): void {
  changeElement(testCase.skipped(), (element) => {
    const skipped = element.children.find((child) => "name" in child && child.name === "skipped");
    skipped?.att("message", attribute(message));
  });
}

type Element = ReturnType<TestCase["build"]>;

// Sets what the library does not support on the element that the library has built.
function changeElement(testCase: TestCase, change: (element: Element) => void): void {
  const build = testCase.build.bind(testCase);
  testCase.build = (parent) => {
    const element = build(parent);
    change(element);
    return element;
  };
}

function evidenceOf(step: StepReport): readonly string[] {
  const { transactionId, receipt } = step;
  const named = {
    as: actedAs(step) || null,
    transaction: transactionId,
    receipt: receipt?.receiptId,
    "receipt status": receipt?.status,
  };
  const evidence = Object.entries(named).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name} ${oneLine(value)}`],
  );
  return [...evidence, ...idleTexts(step)];
}

// Matches characters that XML 1.0 cannot contain, not even as a reference.
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

// The library escapes only the first `]]>` in a CDATA section.
function legal(text: string): string {
  return text.replaceAll(ILLEGAL, "").replaceAll("]]>", "]] >");
}

function attribute(text: string): string {
  return legal(oneLine(text));
}
