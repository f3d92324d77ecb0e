import type { Json, JsonObject } from "../base/json/json.ts";
import type { InterfaceName, OperationNames } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import type { Conserved } from "./conserved.ts";
import type { Meaning, Yield } from "./meaning.ts";
import type { Paging } from "./paging/paging.ts";

/** The differences between the interfaces that their contract does not contain. */
export interface ServiceDescriptor<Name extends InterfaceName = InterfaceName> {
  /** The name of the interface: the first part of the names of its operations. */
  readonly name: Name;
  /** The settings of an environment that only this interface has. */
  readonly settings: Readonly<Record<string, ServiceSetting>>;
  /** How the interface identifies its callers. */
  readonly identity: EntityIdentity | CredentialIdentity;
  /** The envelope around the payload of an answer; `undefined` if there is none. */
  readonly envelope: Envelope | undefined;
  /** How the interface divides its lists into pages. */
  readonly paging: Paging;
  /** A read that changes nothing and that everybody may make: its answer shows that the service is reachable. */
  readonly harmless: ServiceRead;
  /** How a committed write is recognised; `undefined` if its answer shows it. */
  readonly receipts: Receipts | undefined;
  /** Whether a request with several items is carried out as a whole or not at all, judging by the environment's profile. */
  readonly isBatchWhole: (profile: Profile) => boolean;
  /** The values that every write yields. */
  readonly writeYields: Readonly<Record<string, Yield>>;
  /** The conserved quantities, by their name in `conserve`. */
  readonly conserves: Readonly<Record<string, Conserved>>;
  /** The calls by which `tokenbook doctor` checks whether the profile fits. */
  readonly doctor: {
    /** A list that has more than one page in every real use of the service. */
    readonly list: OperationNames[Name];
    /** A read of one thing, which the service refuses for an id that nobody has. */
    readonly one: (nobodysId: string) => ServiceRead<Name>;
  };
  /** The field of a plan's totals that counts its writes. */
  readonly plannedTotal: string;
  /** The name of the actor in an example. */
  readonly exampleActor: string;
  /** The meaning of each of its operations, by the operation's full name. */
  readonly meanings: Readonly<Record<OperationNames[Name], Meaning>>;
}

/** A text that an environment gives to one interface. */
export interface ServiceSetting {
  /** What the setting is, in words. */
  readonly about: string;
  /** Whether it is part of the address: runs with different values act in different places. */
  readonly locates: boolean;
}

/** Callers are entities: one key acts on behalf of any named entity. */
export interface EntityIdentity {
  readonly kind: "entity";
  /** The place in a request that names the acting entity. */
  readonly onBehalfOf: (profile: Profile) => { readonly in: "query" | "header"; readonly name: string };
  /** The setting that holds the organization of the entities. */
  readonly organization: string;
}

/** Callers are identified by their keys. An environment has a key for each caller, under the name of a credential. */
export interface CredentialIdentity {
  readonly kind: "credential";
}

/** A read with its input. */
export interface ServiceRead<Name extends InterfaceName = InterfaceName> {
  /** The operation that is called. */
  readonly operation: OperationNames[Name];
  /** The input of the call. */
  readonly input: JsonObject;
}

/** The envelope around the payload of an answer. */
export interface Envelope {
  /** Removes the envelope. */
  readonly open: (
    body: Json,
  ) => { readonly payload: Json; readonly envelope: JsonObject } | { readonly kind: "unreadable"; readonly why: string };
  /** The schema of the payload, within the schema of the whole answer. */
  readonly payloadOf: (response: JsonSchema) => JsonSchema | undefined;
  /** The fields beside the payload, in words. */
  readonly holds: string;
}

/** How a committed write is recognised. */
export interface Receipts {
  /** Returns the read of the receipt with this id. */
  readonly read: (receiptId: string) => ServiceRead;
  /** The values of a receipt's status, and whether a committed receipt must name its transaction to be evidence. */
  readonly rules: (profile: Profile) => {
    readonly committed: readonly string[];
    readonly failed: readonly string[];
    readonly namesTransaction: boolean;
  };
  readonly schema: JsonSchema;
}
