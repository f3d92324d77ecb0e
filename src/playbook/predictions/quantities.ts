import { Decimal } from "../../base/numbers/decimal.ts";
import { count } from "../../base/text/text.ts";
import { nodeAt } from "../../source/node.ts";
import { type CertainPlaybook, itemsOf, lastingSpelling, partsAt } from "./certain-calls.ts";
import type { CheckContext } from "../check-context.ts";
import type { MadeToken } from "./made-tokens.ts";
import type { Finding } from "../../source/diagnostic.ts";

/** Reports quantities that a token cannot have: with too many decimals, or a mint above its cap. */
export function checkQuantities(playbook: CertainPlaybook, tokens: ReadonlyMap<string, MadeToken>, context: CheckContext): void {
  for (const call of playbook.calls) {
    const { quantities } = call.step.operation.meaning;
    if (quantities === undefined) continue;
    for (const { input, node } of itemsOf(call)) {
      const ids = partsAt(input, quantities.id);
      for (const [at, { part, path }] of partsAt(input, quantities.value).entries()) {
        const value = playbook.value(part);
        const token = tokens.get(lastingSpelling(ids[at]?.part) ?? "");
        if (token === undefined || !(value instanceof Decimal)) continue;
        const problem = tooFine(value, token) ?? (quantities.mints === true ? tooMuch(value, token) : undefined);
        if (problem !== undefined) context.report(problem, nodeAt(node, path).range);
      }
    }
  }
}

function tooFine(value: Decimal, { decimals, call }: MadeToken): Finding | undefined {
  if (decimals === undefined || value.decimals() <= decimals) return undefined;
  return {
    code: "playbook.too-fine",
    message: `${value.text} has ${count(value.decimals(), "digit")} after the point, and the token has ${decimals}`,
    why: `the step "${call.step.id}" (line ${call.step.line}) creates it with decimal: ${decimals}`,
    suggestion: "round the quantity, or create the token with more decimals",
  };
}

function tooMuch(value: Decimal, { cap, call }: MadeToken): Finding | undefined {
  if (cap === undefined || value.compare(cap) <= 0) return undefined;
  return {
    code: "playbook.above-cap",
    message: `${value.text} is more than may ever be minted of the token: ${cap.text}`,
    why: `the step "${call.step.id}" (line ${call.step.line}) creates it with maxMintQuantity: ${cap.text}`,
    suggestion: "if you expect the refusal, write fails: { condition: … }",
  };
}
