import data from "./generated/contract.json" with { type: "json" };
import type { InterfaceName } from "./generated/interfaces.ts";
import type { JsonSchema } from "./schema-types.ts";

export type { InterfaceName, OperationName, OperationNames } from "./generated/interfaces.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One parameter of an operation, under the name the written contract gives it. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Set when the service description shows neither name nor place: the key of the profile that holds them. */
  readonly profile?: string;
}

/** A list that comes in pages; `items` names the list in the answer. */
export interface ContractPaging {
  readonly items: string;
}

/** One interface of the service, as the written contract has it. How it is used is in `services/`. */
export interface ContractInterface {
  readonly name: InterfaceName;
  /** What the service description calls it, such as `interface B`. */
  readonly title: string;
  /** The header that carries the key. */
  readonly keyHeader: string;
  /** The path before that of each call; `{NAME}` stands for a setting of the environment. */
  readonly root: string;
}

/** One of the 67 calls of the service, as the written contract has it. Its meaning for a playbook is in `operations/`. */
export interface ContractOperation {
  /** What a playbook writes after `uses:`, such as `ledger.token.mint`. */
  readonly name: string;
  readonly interface: InterfaceName;
  readonly method: Method;
  /** The path below the interface's root, such as `/token/mint`. */
  readonly path: string;
  readonly group: string;
  /** The section of the service description, such as `B.4`. */
  readonly section: string;
  /** The other parts of the service description that say something of this call, such as `Errors B: Token mint`. */
  readonly restsOn: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** The failure conditions that the description lists for this call, in its own words. */
  readonly conditions: readonly string[];
  /** Those of rules that the description states or implies without a word for their refusal; the words are the sandbox's. */
  readonly furtherConditions: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema;
  /** The status that the contract gives for success. */
  readonly successStatus: number;
  readonly response?: JsonSchema;
  readonly paging?: ContractPaging;
  readonly exampleBody?: unknown;
}

export interface Contract {
  readonly interfaces: Readonly<Record<InterfaceName, ContractInterface>>;
  /** The schema of the profile, with the default of each setting. */
  readonly profile: JsonSchema;
  readonly operations: Readonly<Record<string, ContractOperation>>;
  /** Named schemas of all documents; `$ref` reads `contract#/$defs/NAME`. */
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

/** All interfaces of the service, generated from `schemas/*.openapi.yaml`. */
export const contract: Contract = data as unknown as Contract;

const REF = "contract#/$defs/";

/** Follows `$ref` to the schema that is meant. */
export function resolve(schema: JsonSchema): JsonSchema {
  let resolved = schema;
  while (resolved.$ref !== undefined) {
    const found: JsonSchema | undefined = contract.$defs[resolved.$ref.slice(REF.length)];
    if (found === undefined) throw new RangeError(`the contract has no schema ${resolved.$ref}`);
    resolved = found;
  }
  return resolved;
}

/** The name of the contract's schema that this one refers to, if it does. */
export function schemaName(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(REF) === true ? schema.$ref.slice(REF.length) : undefined;
}
