import { isObject, textOrJson } from "../base/json/json.ts";
import type { StepProblem } from "../protocol/record.ts";
import { type Block, explanationBlocks } from "./evidence.ts";
import type { ProblemReport } from "./shape.ts";
import { cut, foreignLines } from "./formats/foreign-text.ts";

const CODE_CHARS = 80;

/** A problem of a step, or of a document, in which unknown values are null. */
type AnyProblem = StepProblem | ({ readonly evidence?: undefined; readonly why?: string | null } & Omit<ProblemReport, "why">);

/** Describes a problem to a person: what, why, the evidence, and what to do. Each line begins with our own words. */
export function problemLines({ code, message, why = null, evidence, next = null }: AnyProblem): readonly string[] {
  return [
    ...labelled(codeOf(code), message),
    ...(why === null ? [] : labelled("why", why)),
    ...(hasNothing(evidence) ? [] : evidenceLines(evidence)),
    ...(next === null ? [] : nextLines(next)),
  ];
}

/** Returns what to do about a problem. A command to type is on its own line, without any of our text before it. */
export function nextLines(next: string): readonly string[] {
  const [first = "", ...rest] = foreignLines(next);
  return [`next: ${first}`, ...rest.map((line) => `  ${COMMAND.test(line) || WORDS.test(line) ? line : `| ${line}`}`)];
}

// No log reader obeys a line that begins like this.
const COMMAND = /^tokenbook [a-z]/;
const WORDS = /^[a-z]+ [a-z]/;

function hasNothing(evidence: StepProblem["evidence"]): evidence is undefined | null {
  return evidence === undefined || evidence === null || (isObject(evidence) && Object.keys(evidence).length === 0);
}

// A code is the only text from a journal that begins a line, so it is made a valid code, whatever the journal contains.
function codeOf(code: string): string {
  return cut(code.replaceAll(/[^\w.-]/g, "_"), CODE_CHARS);
}

function evidenceLines(evidence: NonNullable<StepProblem["evidence"]>): readonly string[] {
  const blocks = explanationBlocks(evidence);
  return blocks === undefined ? labelled("seen", textOrJson(evidence)) : blocks.flatMap(blockLines);
}

// A drawing begins below its label, because its lines belong together. A sentence begins beside its label.
function blockLines({ label, isDrawn, lines }: Block): readonly string[] {
  const [first = "", ...rest] = lines;
  return isDrawn ? [`${label}:`, ...lines.map(below)] : [`${label}: ${first}`, ...rest.map(below)];
}

function below(line: string): string {
  return `  | ${line}`;
}

/** Returns a text under a label of ours. None of its lines begins with foreign text. */
export function labelled(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = foreignLines(text);
  return [`${label}: ${first}`, ...rest.map(below)];
}
