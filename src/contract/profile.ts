import { ownValue } from "../base/maps.ts";
import { contract } from "./contract.ts";
import type { InterfaceName, Profile } from "./generated/interfaces.ts";
import type { JsonSchema } from "./schema-types.ts";

// The settings for what the service description leaves open. Each setting is described once, beside its calls; its type, default and schema
// are made from that. The sandbox reads the same profile, so that each alternative can be tried.

export type { Profile } from "./generated/interfaces.ts";

/** The settings of the ledger interface. */
export type LedgerProfile = Profile["ledger"];
/** The settings of the investor interface. */
export type InvestorProfile = Profile["investor"];

/**
 * A form of the service's own errors: the fields that must all exist. A text or a number is the value of the field; `true` means any value.
 * A gateway in front of the service writes errors in other forms.
 */
export type ErrorForm = Readonly<Record<string, string | number | true>>;

/** The settings of every interface, and those that calls of any interface may use. */
export interface InterfaceProfile {
  /** The forms of the service's own errors. Only an error in one of these forms proves that a write had no effect. */
  readonly errors: readonly ErrorForm[];
  /** The real names of parameters that the description does not name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The real names of fields in bodies, by body. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How many records a page has if a call gives no size. */
  readonly pageSize?: number;
}

/** Returns the settings of one interface. */
export function profileOf(profile: Profile, name: InterfaceName): InterfaceProfile {
  return profile[name];
}

/** Every setting with its default. */
export const DEFAULT_PROFILE: Profile = defaultOf(contract.profile) as Profile;

function defaultOf({ properties = {}, default: usual }: JsonSchema): unknown {
  if (usual !== undefined) return usual;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, defaultOf(schema)]));
}

/** Returns the real names of the fields of a body; `undefined` if they are those of the contract. */
export function fieldNames(
  { fields = {} }: InterfaceProfile,
  key: string | undefined,
): Readonly<Record<string, string>> | undefined {
  return key === undefined ? undefined : ownValue(fields, key);
}

/** Returns the attribute that holds the id of an asset of this type. */
export function primaryKeyOf({ primaryKey }: Pick<LedgerProfile, "primaryKey">, assetType: string): string {
  return ownValue(primaryKey, assetType) ?? "id";
}

/** A profile with only some values; the others keep their defaults. */
export type ProfileOverrides = { readonly [K in keyof Profile]?: DeepPartial<Profile[K]> };

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: DeepPartial<T[K]> } : T;

/** Returns the default profile with an environment's own values. */
export function profileWith(overrides: ProfileOverrides): Profile {
  return overlay(DEFAULT_PROFILE, overrides) as Profile;
}

// Copies only known keys, so a hostile key cannot reach a prototype. primaryKey, conditionStatus and successStatus are open maps.
function overlay(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const keys = Object.keys(base).length === 0 ? Object.keys(over) : Object.keys(base);
  return Object.fromEntries(keys.map((key) => [key, overlay(base[key], over[key])]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
