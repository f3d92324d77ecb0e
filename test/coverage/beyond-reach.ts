// The parts of the sandbox that no playbook can cover, and why. `docs/coverage.md` lists them; the scenarios cover everything else.
import { contract } from "../../src/contract/contract.ts";
import type { Coverage } from "../../src/coverage/coverage.ts";
import { type Dimension, DIMENSION_NAMES } from "../../src/coverage/dimensions.ts";
import { type Operation, operations } from "../../src/operations/operation.ts";

const EMPTY_LIST = "a list that nothing fits is empty";

const SYNCHRONOUS = "a server error to the write itself is no refusal: its effect is unknown, so the write counts as lost";

// Refusals that the service description lists for a call, but that no playbook can receive: by operation and condition.
const BEYOND: Readonly<Record<string, string>> = {
  "ledger.asset.put: asset not found": "a put creates what is not there",
  "ledger.transfer.mine: request not found": EMPTY_LIST,
  "ledger.transfer.queue: request not found": EMPTY_LIST,
  "ledger.transfer.byAsset: request not found": EMPTY_LIST,
  "ledger.approval.mine: approval request not found": EMPTY_LIST,
  "ledger.approval.queue: approval request not found": EMPTY_LIST,
  "ledger.approval.cancel: server error": "who is cut off from the ledger has requested nothing to cancel",
  "ledger.receipt.get: server error": "receipts are read also by those who are cut off, to learn the outcome of a write",
};

/** Returns why no playbook can receive a listed refusal; `undefined` if one can. */
export function beyondReach({ name, writes, async, call }: Operation, condition: string): string | undefined {
  if (condition === "server error" && writes && !async && call.interface === "ledger") return SYNCHRONOUS;
  return BEYOND[`${name}: ${condition}`];
}

/** Returns the reasons for conditions that no call lists any more. */
export function staleReasons(): readonly string[] {
  const listed = Object.values(contract.operations).flatMap(({ name, conditions }) =>
    conditions.map((each) => `${name}: ${each}`),
  );
  return Object.keys(BEYOND).filter((pair) => !listed.includes(pair));
}

/** An item of an operation that is not covered. */
export interface Missing {
  readonly dimension: Dimension;
  readonly operation: string;
  readonly item: string;
}

/** Returns everything that these runs did not cover. */
export function missingIn({ operations: covered }: Coverage): readonly Missing[] {
  return covered.flatMap(({ operation, items }) =>
    DIMENSION_NAMES.flatMap((dimension) =>
      items[dimension].flatMap(({ name, by }) => (by === null ? [{ dimension, operation, item: name }] : [])),
    ),
  );
}

/** Returns everything that no playbook can cover. */
export function allBeyondReach(): readonly (Missing & { readonly why: string })[] {
  return [...operations.values()].flatMap((operation) =>
    operation.call.conditions.flatMap((item) => {
      const why = beyondReach(operation, item);
      return why === undefined ? [] : [{ dimension: "refusals" as const, operation: operation.name, item, why }];
    }),
  );
}

/** Returns the rows of a table of what no playbook can cover: one row for each condition and reason. */
export function beyondReachLines(): readonly string[] {
  const rows = Map.groupBy(allBeyondReach(), ({ item, why }) => `| ${item} | ${why} |`);
  return Array.from(rows, ([row, all]) => `| ${all.map(({ operation }) => `\`${operation}\``).join(" ")} ${row}`);
}
