import type { ListedRun } from "../../../src/report/html/pages/runs.ts";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import type { ExplainedDrift } from "../../../src/protocol/drift.ts";
import { auditPage } from "../../../src/report/html/pages/audit.ts";
import type { RunReport } from "../../../src/report/shape.ts";
import type { HeldValue, StepProblem } from "../../../src/protocol/record.ts";
import { Records } from "./records.ts";
import { isNightly } from "../../sizes.ts";

/** Commands that the log reader of some CI system obeys. */
const LOG_COMMANDS: readonly string[] = [
  "::error::boo",
  "  ::set-output name=x::y",
  "::add-mask::x",
  "\u00a0\u3000::warning::x",
  "::stop-commands::x",
  "##vso[task.setvariable variable=x]y",
  "####vso[task.complete]",
  "##[error]boo",
  "##[group]x",
  "##teamcity[buildStatus status='SUCCESS']",
  "section_start:1:x\r\u001b[0K",
];

/** Invisible characters: they hide text, or make two different texts look alike. */
export const INVISIBLE: readonly string[] = [
  "a\u200bb",
  "\ufeffa",
  "a\u00adb\u034fc",
  "a\u2060\u2061\u2062\u2063\u2064\u206fb",
  "\u180e\u115f\u1160\u3164\uffa0\u17b4\u17b5",
  "a\u{e0001}\u{e0069}\u{e0067}\u{e006e}\u{e007f}",
  "😀\ufe00\ufe01\u{e0100}\u{e01ef}",
  "1\ufe0f00",
  "a\u200db\u200cc",
  "😀\u200d\u200d😀\u200dx",
  "\ufff9a\ufffbb\u{1d173}\u{1bca0}",
];

/** Texts that resemble the invisible ones and must stay: emoji of several characters, and scripts that need characters of no width. */
export const READABLE: readonly string[] = [
  "👩‍💻",
  "👩🏽‍🚀",
  "🏳️‍🌈",
  "❤️",
  "1️⃣",
  "Straße e\u0301",
  "東京",
  "مرحبا",
  "نمی‌خواهم",
  "क्‍ष",
  "שלום",
];

/** Texts that an attacker might plant. */
export const FRAGMENTS: readonly string[] = [
  ...LOG_COMMANDS,
  ...INVISIBLE,
  READABLE.join(" "),
  "\u001b[31mred",
  "\u001b]8;;http://evil\u0007link\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u009b2J",
  "\u009d0;title\u009c",
  "\u0000",
  "\u0007",
  "\b\b\b",
  "\u007f",
  "\u0085",
  "\u202egnp.exe",
  "\u2066\u2069",
  "\u200f",
  "\u2028::error::x",
  "\u2029##vso[x]",
  "]]>",
  "]]>]]>]]>",
  "<![CDATA[",
  "</testcase>",
  "<skipped/>",
  "<!--",
  "&amp;&#0;&lt;",
  '"\'><x a="',
  "\ufffe\uffff",
  "\ud800",
  "\udc00x",
  "😀",
  "",
  "a\r\nb\rc",
  "\n::error::x\n##vso[x]y\n",
  "\t::error::x",
  "%0A::error::x",
  "x".repeat(5_000),
];

/** 200 texts that an attacker might plant. The list is the same each time. */
export const HOSTILE: readonly string[] = Array.from({ length: 200 }, (_, at) => {
  if (at < FRAGMENTS.length) return FRAGMENTS[at] ?? "";
  const pick = (by: number): string => FRAGMENTS[(at * by + by) % FRAGMENTS.length] ?? "";
  return `${pick(7)}\n${pick(11)}${at % 2 === 0 ? "\n" : ""}${pick(13)}`;
});

// Texts that only some of the formats would obey.
const MARKS: readonly string[] = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "</pre></details></style></title></textarea><iframe src=//evil>",
  "<svg/onload=alert(1)>",
  "<!-- --!><b>",
  "javascript:alert(1)",
  "[link](javascript:alert(1))",
  "![image](http://evil/x.png)",
  "<http://evil.example>",
  "http://evil.example www.evil.example a@evil.example",
  "`code` ``` ~~~ ````",
  "```\n# heading\n```",
  "| a | b |\n|---|---|",
  "a \\| b \\",
  "\\",
  "***bold*** __under__ ~~gone~~",
  "# heading\n> quote\n- item\n1. item\n---\n===",
  "&lt;b&gt; &#60;b&#62; &copy;",
  "ok 1 - mine\nnot ok 2 - yours # TODO",
  "Bail out! now",
  "# SKIP # TODO \\# \\\\#",
  "1..0 # skipped",
  "  ---\n  message: mine\n  ...",
  "TAP version 13",
  "pragma +strict",
  "=cmd|' /C calc'!A0",
  "@SUM(1+1)",
  "%0A%0D::warning::x",
  "a,b:c::d%25",
  "{{ 7*7 }} ${7*7} <%= 7*7 %>",
  "\u0000\u0001\u0002\u001b\u009b",
  "\u202e\u2066\u061c\u200e\ufeff\u2028\u2029\u0085",
  "\ud800\ud800\udfff\udbff",
  "\ufffe\uffff\u{1fffe}\u{10ffff}",
  "'; DROP TABLE run; --",
  "../../etc/passwd",
];

/** Returns this many different texts, put together from parts that are dangerous in some format. They are the same each time. */
export function manyHostile(count: number): readonly string[] {
  const parts = [...FRAGMENTS.filter((part) => part.length < 1_000), ...MARKS];
  return Array.from({ length: count }, (_, at) => {
    if (at < parts.length) return parts[at] ?? "";
    const pick = (by: number): string => parts[(at * by + Math.floor(at / parts.length)) % parts.length] ?? "";
    return `${pick(1)}${at % 3 === 0 ? "\n" : ""}${pick(7)}${at % 2 === 0 ? " " : ""}${pick(31)}${at}`;
  });
}

function inParts<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return list.flatMap((_, at) => (at % size === 0 ? [list.slice(at, at + size)] : []));
}

/** Hostile texts for the five places of a run, for up to 200 runs in each group. */
export const GROUPS: readonly (readonly (readonly string[])[])[] = inParts(
  inParts(manyHostile(isNightly ? 10_000 : 500), 5),
  200,
);

/** Builds a run in which every text from outside is `text`. If `others` are given, each step uses one of those instead. */
export function hostileRun(text: string, others: readonly string[] = []): Records {
  const [first = text, second = text, third = text, fourth = text] = others;
  const problemOf = (said: string): StepProblem => ({
    code: said,
    message: said,
    why: said,
    next: said,
    evidence: { [said]: said },
  });
  const steps = Object.entries({ a: first, b: second, c: third, d: fourth }).map(([id, said]) => ({
    id,
    name: said,
    uses: said,
    line: 1,
  }));
  const key = `${first.replaceAll(/[[\]\n]/g, "")}k`;
  return new Records()
    .opened({ name: text, file: text, runId: text, environment: text, steps })
    .expanded("a", [key, "other"])
    .written(`a[${key}]`)
    .intended("b")
    .answered("b", { message: second, receiptId: second, payload: { transactionId: second } })
    .receipt("b", { status: second, transactionId: second, message: second })
    .stopped("b", "failed", problemOf(second))
    .add({
      kind: "step.stopped",
      step: "c",
      outcome: "unknown",
      problem: { ...problemOf(third), evidence: third },
      startedAt: 0,
      comparison: comparisonOf(third),
    })
    .add({
      kind: "step.completed",
      step: "a[other]",
      outcome: "ok",
      value: { refusal: fourth },
      startedAt: 0,
      requests: 1,
      held: { total: 2, shown: [{ keyword: "expect", expression: fourth, values: heldIn(fourth) }] },
    })
    .closed("failed", { [text]: text, other: [text] }, problemOf(text));
}

function heldIn(text: string): readonly HeldValue[] {
  return [
    { expression: text, value: text },
    { expression: text, value: { [text]: [text] } },
    { expression: text, summary: text },
  ];
}

function comparisonOf(text: string): Comparison {
  const side = { name: text, rows: 1, keys: 1, sum: "1", requests: 1, from: 0, to: 1 };
  const drift = {
    id: text,
    kind: "differs",
    key: { [text]: text },
    left: "1",
    right: "2.5",
    difference: "-1.5",
    state: "acknowledged",
    since: 0,
    acknowledged: { until: 1, who: text, because: text },
  } as const;
  return {
    left: side,
    right: side,
    totalsOf: text,
    totals: [{ of: text, left: "1", right: "2.5" }],
    looks: 2,
    counts: {
      compared: 1,
      new: 1,
      persisting: 0,
      changed: 0,
      acknowledged: 1,
      cleared: 1,
      moving: 1,
      settled: 0,
      notCompared: 1,
    },
    drifts: [drift],
    cleared: [drift],
    moving: [drift],
    gaps: [{ side: text, of: text, code: text, message: text }],
    of: { environment: text, playbook: text, comparison: text, scope: text },
    reads: [{ side: text, operation: text, input: { [text]: text }, actor: text, pages: 1, rows: 1, from: 0, to: 1 }],
    readCount: 2,
    rows: [{ key: { [text]: text }, leftRows: 2, rightRows: 1, left: "1", right: "2.5" }],
  };
}

/** Returns the auditors' page for the comparison in a run. Its drifts have the text in every field that can hold one. */
export function hostileAudit({ run, steps }: RunReport, text: string): Iterable<string> {
  const { comparison, outcome } = steps.find((step) => step.comparison !== null) ?? {};
  if (comparison === undefined || comparison === null || outcome === undefined) throw new Error("nothing was compared");
  const of = { environment: text, playbook: text, comparison: text, scope: text };
  const latest = { run, outcome, comparison, records: 1, digest: text };
  const whole = { ...latest, comparison: { ...comparison, gaps: [] } };
  const read = [{ operation: text, input: { [text]: text }, actor: text, page: text, at: text, record: { [text]: text } }];
  const word = { at: 0, by: text, left: "1", right: "2.5", difference: "-1.5", because: text, until: 1 } as const;
  const drifts = comparison.drifts.map((drift): ExplainedDrift => ({
    ...drift,
    of,
    title: text,
    sides: { left: text, right: text },
    lastSeen: 0,
    lastRun: text,
    clearedAt: null,
    evidence: { left: { rows: "1", read }, right: { rows: "1", read } },
    history: [{ ...word, what: "acknowledged" }],
  }));
  const driftCount = drifts.length + 1;
  return auditPage({ of, title: text, latest, isOutdated: true, runs: [latest, whole], drifts, driftCount, now: 0 });
}

// Readable texts in which characters of no width belong, also after a cut.
const JOINED = /👩‍💻|👩🏽‍🚀|🏳️‍🌈|🏳️|❤️|1️(?:⃣|…)|ی‌خ|क्‍ष/gu;

/** Returns the lines that no terminal or log may receive: with a control or invisible character, an unpaired surrogate or a CI command. */
export function dangersOf(output: string): readonly string[] {
  const judged = output.replaceAll(JOINED, "x");
  return judged.split("\n").flatMap((line) => {
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/u.test(
      line,
    );
    const command = /^\s*::/.test(line) || /##\w*\[/.test(line);
    return control || command || !line.isWellFormed() ? [JSON.stringify(line)] : [];
  });
}

/** The address below which a server has its pages. */
export const SERVED_FOLDER = "http://127.0.0.1:1/token/";

/** Returns whether a link on a page leads to another page of the same server. */
export function staysBelow(page: string | undefined, link: string): boolean {
  return page !== undefined && new URL(link, page).href.startsWith(SERVED_FOLDER);
}

/** Returns a listed run in which every text is `text`. */
export function hostileRow(text: string): ListedRun {
  const detail = { name: text, durationMs: 1, counts: text };
  return { id: text, playbook: text, environment: text, openedAt: text, outcome: "failed", heldBy: text, detail };
}
