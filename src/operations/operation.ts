import { Failure } from "../base/failure.ts";
import { didYouMean } from "../base/text.ts";
import { contract, type ContractOperation } from "../contract/contract.ts";
import { approvals, assets, transfers } from "../services/ledger/assets.ts";
import { investor } from "../services/investor/meanings.ts";
import type { Meaning, ReadMeaning, WriteMeaning, Yield } from "../services/meaning.ts";
import { erc1155, tokens, vaults } from "../services/ledger/tokens.ts";

/** One of the 67 operations: what the contract says of it, and what it means for a playbook. */
export type Operation = ReadOperation | WriteOperation;

interface AnyOperation {
  readonly name: string;
  readonly call: ContractOperation;
  /** A write of the ledger that can answer before the commit. */
  readonly async: boolean;
  /** The body is a list of items, or wraps one: one item stands directly in `with`, several under `items`. */
  readonly batches: boolean;
  readonly yields: Readonly<Record<string, Yield>>;
}

/** An operation that changes nothing. */
export interface ReadOperation extends AnyOperation {
  readonly writes: false;
  readonly meaning: ReadMeaning;
}

/** An operation that changes something. */
export interface WriteOperation extends AnyOperation {
  readonly writes: true;
  readonly meaning: WriteMeaning;
}

const meanings: Readonly<Record<string, Meaning>> = {
  ...assets,
  ...transfers,
  ...approvals,
  ...tokens,
  ...erc1155,
  ...vaults,
  ...investor,
};

const LEDGER_WRITE_YIELDS: Readonly<Record<string, Yield>> = {
  transactionId: {
    type: "string",
    id: "transaction",
    description: "the ledger transaction's id",
    from: ({ payload }) => idIn(payload, "transactionId"),
  },
};

function idIn(payload: unknown, name: string): string | undefined {
  const value = (payload as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : undefined;
}

/** Every operation by its name, in the order of the service description. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(contract.operations).map(([name, call]) => [name, join(name, call)]),
);

function join(name: string, call: ContractOperation): Operation {
  const meaning = meanings[name];
  if (meaning === undefined) throw new Failure({ code: "contract.no-meaning", message: `operations/ says nothing of ${name}` });
  const common = {
    name,
    call,
    async: call.parameters.some((parameter) => parameter.name === "async"),
    batches: meaning.wraps !== undefined || call.body?.type === "array",
  };
  if (meaning.effect === "read") return { ...common, writes: false, meaning, yields: { ...meaning.yields } };
  const yields = { ...(call.interface === "ledger" ? LEDGER_WRITE_YIELDS : {}), ...meaning.yields };
  return { ...common, writes: true, meaning, yields };
}

/** The operation of this name. Throws a Failure that names the nearest one. */
export function operationNamed(name: string): Operation {
  const found = operations.get(name);
  if (found !== undefined) return found;
  const near = didYouMean(name, [...operations.keys()]);
  throw new Failure({
    code: "operation.unknown",
    message: `there is no operation called "${name}"`,
    next: near === undefined ? "tokenbook operations" : `tokenbook operations ${near}`,
  });
}
