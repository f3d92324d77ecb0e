import type { StepProblem } from "../../../src/protocol/record.ts";
import { Records } from "./records.ts";

const FRAGMENTS: readonly string[] = [
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
  "::error::boo",
  "  ::set-output name=x::y",
  "##vso[task.setvariable variable=x]y",
  "##[error]boo",
  "##teamcity[buildStatus status='SUCCESS']",
  "::stop-commands::x",
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

/** 200 texts that somebody might plant; the same each time. */
export const HOSTILE: readonly string[] = Array.from({ length: 200 }, (_, at) => {
  if (at < FRAGMENTS.length) return FRAGMENTS[at] ?? "";
  const pick = (by: number): string => FRAGMENTS[(at * by + by) % FRAGMENTS.length] ?? "";
  return `${pick(7)}\n${pick(11)}${at % 2 === 0 ? "\n" : ""}${pick(13)}`;
});

/** A run in which every text that comes from outside is this one. */
export function hostileRun(text: string): Records {
  const problem: StepProblem = { code: text, message: text, why: text, next: text, evidence: { [text]: text } };
  const steps = ["a", "b", "c", "d"].map((id) => ({ id, name: text, uses: text, line: 1 }));
  return new Records()
    .opened({ name: text, file: text, runId: text, environment: text, steps })
    .expanded("a", [`${text.replaceAll(/[[\]\n]/g, "")}k`, "other"])
    .written(`a[${text.replaceAll(/[[\]\n]/g, "")}k]`)
    .intended("b")
    .answered("b", { message: text, receiptId: text, payload: { transactionId: text } })
    .receipt("b", { status: text, transactionId: text, message: text })
    .stopped("b", "failed", problem)
    .stopped("c", "unknown", { ...problem, evidence: text })
    .add({ kind: "step.completed", step: "a[other]", outcome: "ok", value: { refusal: text }, startedAt: 0, requests: 1 })
    .closed("failed", { [text]: text, other: [text] }, problem);
}

/** Whatever no terminal or log may receive: a control character, an unpaired surrogate, a command at the start of a line. */
export function dangersOf(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => {
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(line);
    const command = /^\s*::/.test(line) || /##\w*\[/.test(line);
    return control || command || !line.isWellFormed() ? [JSON.stringify(line)] : [];
  });
}
