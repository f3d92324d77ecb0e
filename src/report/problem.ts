import { isObject, textOrJson } from "../base/json/json.ts";
import type { StepProblem } from "../protocol/record.ts";
import { type Block, explanationBlocks } from "./evidence.ts";
import type { ProblemReport } from "./shape.ts";
import { cut, foreignLines } from "./formats/foreign-text.ts";

const CODE_CHARS = 80;

/** A problem of a step, or one of a document, in which what is not known is null. */
type AnyProblem = StepProblem | ({ readonly evidence?: undefined; readonly why?: string | null } & Omit<ProblemReport, "why">);

/** What a person needs to hear about a problem: what, why, what was seen, what to do. Each line begins with our own words. */
export function problemLines({ code, message, why = null, evidence, next = null }: AnyProblem): readonly string[] {
  return [
    ...labelled(codeOf(code), message),
    ...(why === null ? [] : labelled("why", why)),
    ...(hasNothing(evidence) ? [] : evidenceLines(evidence)),
    ...(next === null ? [] : nextLines(next)),
  ];
}

/** What to do about a problem: a command to type has a line of its own, without anything of ours before it. */
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

// The only word of a journal that begins a line: it must be a code, whatever the journal says.
function codeOf(code: string): string {
  return cut(code.replaceAll(/[^\w.-]/g, "_"), CODE_CHARS);
}

function evidenceLines(evidence: NonNullable<StepProblem["evidence"]>): readonly string[] {
  const blocks = explanationBlocks(evidence);
  return blocks === undefined ? labelled("seen", textOrJson(evidence)) : blocks.flatMap(blockLines);
}

// A drawing begins below its label, because its lines belong together; a sentence begins beside it.
function blockLines({ label, isDrawn, lines }: Block): readonly string[] {
  const [first = "", ...rest] = lines;
  return isDrawn ? [`${label}:`, ...lines.map(below)] : [`${label}: ${first}`, ...rest.map(below)];
}

function below(line: string): string {
  return `  | ${line}`;
}

/** A text under a label of ours, however many lines it has: no line of it begins with what somebody else wrote. */
export function labelled(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = foreignLines(text);
  return [`${label}: ${first}`, ...rest.map(below)];
}
