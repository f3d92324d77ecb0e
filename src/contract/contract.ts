import data from "./generated/contract.json" with { type: "json" };
import type { InterfaceName } from "./generated/interfaces.ts";
import type { JsonSchema } from "./schema-types.ts";

export type { InterfaceName, OperationName, OperationNames } from "./generated/interfaces.ts";

/** The HTTP methods that the contract uses. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One parameter of an operation, with its name in the written contract. */
export interface Parameter {
  /** Its name in the written contract. */
  readonly name: string;
  /** The part of a request that holds it. */
  readonly in: "query" | "path";
  /** Whether each request must have it. */
  readonly required: boolean;
  /** What it is for. */
  readonly description: string;
  /** The schema of its value. */
  readonly schema: JsonSchema;
  /** The key of the profile that holds its name and place, if the service description shows neither. */
  readonly profile?: string;
}

/** A list that is divided into pages. */
export interface ContractPaging {
  /** The field of the answer that holds the list. */
  readonly items: string;
}

/** One interface of the service in the contract. `services/` says how it is used. */
export interface ContractInterface {
  /** Its name in the contract: `ledger`. */
  readonly name: InterfaceName;
  /** Its name in the service description, such as `interface B`. */
  readonly title: string;
  /** The header with the key. */
  readonly keyHeader: string;
  /** The path that precedes that of each call; `{NAME}` is a setting of the environment. */
  readonly root: string;
}

/** One of the 67 calls of the service in the contract. `operations/` has its meaning for a playbook. */
export interface ContractOperation {
  /** Its name after `uses:` in a playbook, such as `ledger.token.mint`. */
  readonly name: string;
  /** The interface of the call. */
  readonly interface: InterfaceName;
  /** The HTTP method of its request. */
  readonly method: Method;
  /** The path below the interface's root, such as `/token/mint`. */
  readonly path: string;
  /** The group of the call, such as `Tokens`. */
  readonly group: string;
  /** The section of the service description, such as `B.4`. */
  readonly section: string;
  /** The other parts of the service description about this call, such as `Errors B: Token mint`. */
  readonly restsOn: readonly string[];
  /** What it does, in a few words. */
  readonly summary: string;
  /** What it does, in full sentences. */
  readonly description: string;
  /** The failure conditions that the description lists for this call, in its own words. */
  readonly conditions: readonly string[];
  /** Conditions of rules that the description states or implies without naming their refusal. These words are the sandbox's. */
  readonly furtherConditions: readonly string[];
  /** The parameters in the path and the query of its request. */
  readonly parameters: readonly Parameter[];
  /** The schema of the request's body; left out if a request has none. */
  readonly body?: JsonSchema;
  /** The HTTP status of success in the contract. */
  readonly successStatus: number;
  /** Other statuses in the contract. */
  readonly otherStatuses?: readonly number[];
  /** The schema of its answer; left out if the contract has none. */
  readonly response?: JsonSchema;
  /** The place of the list in the answer; left out if an answer has no pages. */
  readonly paging?: ContractPaging;
  /** An example of the request's body, with the field names of the contract. */
  readonly exampleBody?: unknown;
}

/** The contract: the interfaces, their operations, and what they share. */
export interface Contract {
  /** The interfaces, by name. */
  readonly interfaces: Readonly<Record<InterfaceName, ContractInterface>>;
  /** The schema of the profile, with the default of each setting. */
  readonly profile: JsonSchema;
  /** The operations of all interfaces, by name. */
  readonly operations: Readonly<Record<string, ContractOperation>>;
  /** Named schemas of all documents; `$ref` reads `contract#/$defs/NAME`. */
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

/** All interfaces of the service, generated from `schemas/*.openapi.yaml`. */
export const contract: Contract = data as unknown as Contract;

const REF = "contract#/$defs/";

/** Follows `$ref` to the schema that it names. */
export function resolve(schema: JsonSchema): JsonSchema {
  let resolved = schema;
  while (resolved.$ref !== undefined) {
    const found: JsonSchema | undefined = contract.$defs[resolved.$ref.slice(REF.length)];
    if (found === undefined) throw new RangeError(`the contract has no schema ${resolved.$ref}`);
    resolved = found;
  }
  return resolved;
}

/** Returns the name of the contract's schema that this one refers to, if it does. */
export function schemaName(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(REF) === true ? schema.$ref.slice(REF.length) : undefined;
}
