import type { Json, JsonObject } from "../base/json.ts";
import type { InterfaceName, OperationNames } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import type { Conserved } from "./conserved.ts";
import type { Meaning, Yield } from "./meaning.ts";
import type { Paging } from "./paging/paging.ts";

/** All that tells one interface of the service from the others, and that its written contract does not say. */
export interface ServiceDescriptor<Name extends InterfaceName = InterfaceName> {
  readonly name: Name;
  /** The settings of an environment that only this interface has. */
  readonly settings: Readonly<Record<string, ServiceSetting>>;
  readonly identity: EntityIdentity | CredentialIdentity;
  /** What is around the payload of an answer; `undefined`: nothing. */
  readonly envelope: Envelope | undefined;
  readonly paging: Paging;
  /** A read that anybody may make and that changes nothing: who is answered reaches the service. */
  readonly harmless: ServiceRead;
  /** How one learns that a write was committed; `undefined`: its answer says so. */
  readonly receipts: Receipts | undefined;
  /** What every write yields. */
  readonly writeYields: Readonly<Record<string, Yield>>;
  /** What is conserved, by the name that `conserve` gives it. */
  readonly conserves: Readonly<Record<string, Conserved>>;
  /** What `tokenbook doctor` asks to see whether the profile fits. */
  readonly doctor: {
    /** A list that has more than one page wherever the service is used. */
    readonly list: OperationNames[Name];
    /** A read of one thing, which an id that nobody has refuses. */
    readonly one: (nobodysId: string) => ServiceRead<Name>;
  };
  /** What a plan says of its writes: the field of the totals, and its words. */
  readonly planned: { readonly total: string; readonly words: (writes: number) => string };
  /** What the actor of an example is called. */
  readonly exampleActor: string;
  readonly meanings: Readonly<Record<OperationNames[Name], Meaning>>;
}

/** A text that an environment gives to one interface. */
export interface ServiceSetting {
  readonly about: string;
  /** It is a part of the address: where it differs, runs act elsewhere. */
  readonly locates: boolean;
}

/** Callers are entities: one key acts on behalf of whoever is named. */
export interface EntityIdentity {
  readonly kind: "entity";
  /** Where a request names the acting entity. */
  readonly onBehalfOf: (profile: Profile) => { readonly in: "query" | "header"; readonly name: string };
  /** The setting that holds the organization of the entities. */
  readonly organization: string;
}

/** Callers are known by their keys: an environment has one for each, under the name of a credential. */
export interface CredentialIdentity {
  readonly kind: "credential";
}

/** A read with its input. */
export interface ServiceRead<Name extends InterfaceName = InterfaceName> {
  readonly operation: OperationNames[Name];
  readonly input: JsonObject;
}

/** What is around the payload of an answer. */
export interface Envelope {
  /** Takes it off. */
  readonly open: (
    body: Json,
  ) => { readonly payload: Json; readonly envelope: JsonObject } | { readonly kind: "unreadable"; readonly why: string };
  /** The schema of the payload, in that of the whole answer. */
  readonly payloadOf: (response: JsonSchema) => JsonSchema | undefined;
  /** What is beside the payload, in words. */
  readonly holds: string;
}

/** How one learns that a write was committed. */
export interface Receipts {
  readonly read: (receiptId: string) => ServiceRead;
  /** The words of a receipt's status, and whether a committed one must name its transaction to be evidence. */
  readonly rules: (profile: Profile) => {
    readonly committed: readonly string[];
    readonly failed: readonly string[];
    readonly namesTransaction: boolean;
  };
  /** The schema of a receipt. */
  readonly schema: JsonSchema;
}
