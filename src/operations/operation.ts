import { command } from "../base/command-line.ts";
import { Failure, invariant } from "../base/failure.ts";
import type { JsonObject } from "../base/json/json.ts";
import { mapValues } from "../base/maps.ts";
import { present } from "../base/present.ts";
import { didYouMean } from "../base/text/text.ts";
import { contract, type ContractOperation } from "../contract/contract.ts";
import type { ReadMeaning, WriteMeaning, Written, Yield } from "../services/meaning.ts";
import { type Service, serviceNamed } from "../services/services.ts";

/** One operation of the service: its part of the contract, and its meaning for a playbook. */
export type Operation = ReadOperation | WriteOperation;

interface AnyOperation {
  readonly name: string;
  readonly call: ContractOperation;
  /** The interface of the operation. */
  readonly service: Service;
  /** Whether the service may answer the write before the commit. */
  readonly async: boolean;
  /** Whether the body is a list of items, or contains one. A single item is given directly in `with`, several under `items`. */
  readonly batches: boolean;
  readonly yields: Readonly<Record<string, Yield>>;
}

/** An operation that changes nothing. */
export interface ReadOperation extends AnyOperation {
  /** False: the discriminant of an operation. */
  readonly writes: false;
  /** The facts about it that the contract does not contain. */
  readonly meaning: ReadMeaning;
}

/** An operation that changes something. */
export interface WriteOperation extends AnyOperation {
  /** True: the discriminant of an operation. */
  readonly writes: true;
  /** The facts about it that the contract does not contain. */
  readonly meaning: WriteMeaning;
}

/** Every operation by its name, in the order of the service description. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(contract.operations).map(([name, call]) => [name, join(name, call)]),
);

function join(name: string, call: ContractOperation): Operation {
  const service = serviceNamed(call.interface);
  const meaning = service.meanings[name];
  invariant(meaning !== undefined, `services/${service.name} says nothing of ${name}`);
  const common = {
    name,
    call,
    service,
    async: call.parameters.some((parameter) => parameter.name === "async"),
    batches: meaning.wraps !== undefined || call.body?.type === "array",
  };
  if (meaning.effect === "read") return { ...common, writes: false, meaning, yields: { ...meaning.yields } };
  return { ...common, writes: true, meaning, yields: { ...service.writeYields, ...meaning.yields } };
}

/** Returns the values of a write that later steps can use, if they are known; the others are left out. */
export function yieldsOf({ yields }: Operation, written: Written): JsonObject {
  return present(mapValues(yields, ({ from }) => from(written))) as JsonObject;
}

/** Returns the operation with this name. Throws a Failure that suggests the nearest name. */
export function operationNamed(name: string): Operation {
  const found = operations.get(name);
  if (found !== undefined) return found;
  const names = [...operations.keys()];
  const search = didYouMean(name, names) ?? (names.some((each) => each.includes(name)) ? name : undefined);
  throw new Failure({
    code: "operation.unknown",
    message: `there is no operation called "${name}"`,
    next: search === undefined ? command`operations` : command`operations ${search}`,
  });
}
