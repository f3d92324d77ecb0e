import { didYouMean } from "../../base/text/text.ts";
import { isFoundInAll, patternOf, patternProblem } from "../../expression/pattern.ts";
import type { Operation } from "../../operations/operation.ts";
import { conditionsOf, type ExpectedRefusal, plainWords } from "../../operations/refusal.ts";
import { type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { allRead } from "../keywords/keyword.ts";
import type { FailsFields } from "../keywords/step.ts";

/** Reads how the service must refuse a step. Reports a misspelt condition, and warns about one that is not listed. */
export function readFails(fields: FailsFields, operation: Operation, context: CheckContext): ExpectedRefusal {
  const { condition, status, message = NO_MESSAGE, ...rest } = fields;
  const { contains, matches, ...inMessage } = message;
  allRead(rest);
  allRead(inMessage);
  checkCondition(condition, operation, context);
  if (matches !== undefined) checkPattern(matches, textOf(matches) ?? "", context);
  return {
    condition: textOf(condition),
    statuses: statusesIn(status),
    contains,
    matches: textOf(matches),
  };
}

function checkPattern({ range }: SourceNode, pattern: string, context: CheckContext): void {
  const problem = patternProblem(pattern);
  if (problem !== undefined) return context.report({ code: "expression.pattern", message: problem }, range);
  if (!isFoundInAll(patternOf(pattern))) return;
  const message = `${JSON.stringify(pattern)} is found in every message, so a refusal for any reason fits it`;
  context.report({ code: "playbook.any-message", message, suggestion: "write a part of the message that you expect" }, range);
}

const NO_MESSAGE = { contains: undefined, matches: undefined };

function statusesIn(node: SourceNode | undefined): readonly number[] {
  const items = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  return items.flatMap((item) => (item.kind === "scalar" ? [Number(item.value)] : []));
}

// The service may know refusals that its description does not list. So only a condition that is almost a listed one is certainly wrong.
function checkCondition(node: SourceNode | undefined, { name, call }: Operation, context: CheckContext): void {
  const condition = textOf(node);
  if (node === undefined || condition === undefined) return;
  const all = conditionsOf(call);
  const wanted = plainWords(condition);
  if (all.some((each) => plainWords(each) === wanted)) return;
  const near = all.find((each) => isMeant(wanted, plainWords(each)));
  if (near !== undefined) {
    const message = `"${condition}" is no condition of ${name}, and almost one`;
    const why = "a condition is compared as a whole: neither a part of it nor another spelling is the same";
    return context.report(
      { code: "playbook.misspelt-condition", message, why, suggestion: `did you mean "${near}"?` },
      node.range,
    );
  }
  const message = `the service description lists no condition "${condition}" for ${name}`;
  context.report({ code: "playbook.unlisted-condition", message, suggestion: insteadOf(condition, all) }, node.range);
}

function insteadOf(condition: string, listed: readonly string[]): string {
  if (/^[45]\d\d$/.test(condition)) return `write the HTTP status by itself: fails: { status: ${condition} }`;
  const others = listed.length === 0 ? "" : `take one of these: ${listed.join(", ")}; or `;
  return `${others}look at the message: fails: { message: { contains: … } }`;
}

// Compared word by word, because "sale not found" and "vault not found" are different conditions. A part of a listed condition is meant as
// that condition.
function isMeant(wanted: string, listed: string): boolean {
  if (listed.includes(wanted)) return true;
  const words = listed.split(" ");
  const given = wanted.split(" ");
  return given.length === words.length && given.every((word, at) => word === words[at] || didYouMean(word, [words[at] ?? ""]));
}
