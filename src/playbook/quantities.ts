import { Decimal } from "../base/decimal.ts";
import { count } from "../base/text.ts";
import { nodeAt } from "../source/node.ts";
import { type CertainPlaybook, fieldOf, type Item, itemsOf, spellingOf } from "./certain.ts";
import type { CheckContext } from "./context.ts";
import type { MadeToken } from "./made-tokens.ts";
import type { Template } from "./template.ts";

/** A quantity of a token, and where it stands in the input. */
interface Quantity {
  readonly id: Template | undefined;
  readonly value: Template | undefined;
  readonly path: readonly string[];
}

/** Reports quantities that a token cannot have: finer than its decimals, or more of it minted at once than ever may be. */
export function checkQuantities(playbook: CertainPlaybook, tokens: ReadonlyMap<string, MadeToken>, context: CheckContext): void {
  for (const call of playbook.calls) {
    const { name } = call.step.operation;
    for (const item of itemsOf(call)) {
      for (const { id, value: template, path } of quantitiesIn(name, item)) {
        const value = playbook.value(template);
        const token = tokens.get(spellingOf(id) ?? "");
        if (token === undefined || !(value instanceof Decimal)) continue;
        const { range } = nodeAt(item.node, path);
        const problem = tooFine(value, token) ?? (mints(name) ? tooMuch(value, token) : undefined);
        if (problem !== undefined) context.report(problem, range);
      }
    }
  }
}

function mints(operation: string): boolean {
  return operation === "ledger.token.mint" || operation === "ledger.vault.deposit";
}

function quantitiesIn(operation: string, { input }: Item): readonly Quantity[] {
  switch (operation) {
    case "ledger.token.mint":
    case "ledger.token.burn":
    case "ledger.erc1155.safeTransferFrom":
      return [{ id: fieldOf(input, "id"), value: fieldOf(input, "value"), path: ["value"] }];
    case "ledger.erc1155.safeBatchTransferFrom":
      return partsOf(fieldOf(input, "values")).map((value, at) => {
        return { id: partsOf(fieldOf(input, "ids"))[at], value, path: ["values", String(at)] };
      });
    case "ledger.vault.deposit":
      return partsOf(fieldOf(input, "assets")).flatMap((asset, at) =>
        partsOf(fieldOf(asset, "shares")).map((share, index) => ({
          id: fieldOf(share, "tokenId"),
          value: fieldOf(share, "quantity"),
          path: ["assets", String(at), "shares", String(index), "quantity"],
        })),
      );
    default:
      return [];
  }
}

function partsOf(template: Template | undefined): readonly Template[] {
  return template?.kind === "list" ? template.items : [];
}

type Report = Parameters<CheckContext["report"]>[0];

function tooFine(value: Decimal, { decimals, call }: MadeToken): Report | undefined {
  if (decimals === undefined || value.decimals() <= decimals) return undefined;
  return {
    code: "playbook.too-fine",
    message: `${value.text} has ${count(value.decimals(), "digit")} behind the point, and the token has ${decimals}`,
    why: `the step "${call.step.id}" (line ${call.step.line}) creates it with decimal: ${decimals}`,
    suggestion: "round the quantity, or create the token with more decimals",
  };
}

function tooMuch(value: Decimal, { cap, call }: MadeToken): Report | undefined {
  if (cap === undefined || value.compare(cap) <= 0) return undefined;
  return {
    code: "playbook.above-cap",
    message: `${value.text} is more than may ever be minted of the token: ${cap.text}`,
    why: `the step "${call.step.id}" (line ${call.step.line}) creates it with maxMintQuantity: ${cap.text}`,
    suggestion: "for a refusal that is meant, write fails: { condition: … }",
  };
}
