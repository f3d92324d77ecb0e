import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { field } from "../base/json/parts.ts";
import type { Profile } from "../contract/profile.ts";
import type { Repeatability } from "./probe.ts";
import { maybeSameId } from "./same-id.ts";

/** Returns the ids of the things of one kind that a write sets; `undefined` if its input does not name them. */
type Things = (input: JsonObject, profile: Profile) => readonly Json[] | undefined;

/** One kind of thing that a write sets, and how. Once created, a thing cannot be created again until another write removes it. */
interface SetThing {
  readonly does: "makes" | "changes" | "removes";
  /** The kind of thing. Two writes can undo each other only if they set things of the same kind. */
  readonly what: string;
  readonly of: Things;
}

/** The things that a write sets, or why no later write can undo it. */
export type Sets =
  | { readonly undoneBy: "later writes"; readonly settings: readonly [SetThing, ...SetThing[]] }
  | { readonly undoneBy: "nothing"; readonly because: string };

/** Declares what a write sets. */
export function sets(...settings: readonly [SetThing, ...SetThing[]]): Sets {
  return { undoneBy: "later writes", settings };
}

/** Declares that no later write can undo a write, and why. */
export function undoneByNothing(because: string): Sets {
  return { undoneBy: "nothing", because };
}

/** Declares how writes set things of the kinds that an interface has. */
export interface Setters<Kind extends string> {
  /** Declares that a write creates things. A second write could not create them again. */
  readonly makes: (what: Kind, of?: Things) => SetThing;
  /** Declares that a write changes things. */
  readonly changes: (what: Kind, of?: Things) => SetThing;
  /** Declares that a write removes things, so that they can be made again. */
  readonly removes: (what: Kind, of?: Things) => SetThing;
}

/** Returns the setters for the kinds of things of an interface. Any other kind does not compile. */
export function settersOf<Kind extends string>(): Setters<Kind> {
  const does =
    (how: SetThing["does"]) =>
    (what: Kind, of: Things = unnamed): SetThing => ({ does: how, what, of });
  return { makes: does("makes"), changes: does("changes"), removes: does("removes") };
}

function unnamed(): undefined {
  return undefined;
}

/** Returns a function that finds the ids in some fields of the input or, for a batch, of each item. A dotted name leads into lists of objects. */
export function by(...paths: readonly string[]): Things {
  return (input) => {
    const ids = itemsIn(input).map((item) => paths.flatMap((path) => valuesAt(item, path.split("."))));
    return ids.some((each) => each.length === 0) ? undefined : ids.flat();
  };
}

/** Does the same for ids that the run may choose. A chosen id is new, so no other write sets it. */
export function byGiven(...paths: readonly string[]): Things {
  const ids = by(...paths);
  return (input, profile) => ids(input, profile) ?? [];
}

/** Returns the inputs of the items of a batch, each with the fields that all items share; for a single write, its input. */
export function itemsIn({ items, ...shared }: JsonObject): readonly JsonObject[] {
  return Array.isArray(items) ? items.map((item: Json) => ({ ...shared, ...(isObject(item) ? item : {}) })) : [{ ...shared }];
}

function valuesAt(value: Json, [name, ...rest]: readonly string[]): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap((each: Json) => valuesAt(each, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return [value];
  const inner = field(value, name);
  return inner === undefined ? [] : valuesAt(inner, rest);
}

/** What is known of a write. Without its input, it may set anything. */
export interface Setter {
  /** What the write sets. */
  readonly sets: Sets;
  /** The input of the write; undefined if it is unknown. */
  readonly input: JsonObject | undefined;
}

/**
 * Returns whether a write that arrives late could undo a later write, or take effect because of it. `again` says why a repetition is
 * harmless. A write that the service refuses for now is accepted again only after another write has removed the existing thing, or created
 * the missing one.
 */
export function canUndo(late: Setter, later: Setter, { again, profile }: { again: Repeatability; profile: Profile }): boolean {
  if (late.sets.undoneBy === "nothing" || later.sets.undoneBy === "nothing") return false;
  const theirs = later.sets.settings;
  return decisive(late.sets.settings, again).some((own) =>
    theirs.some((other) => {
      if (own.what !== other.what || (again !== "value" && !isOpposite(own, other))) return false;
      return meet(idsOf(own, late.input, profile), idsOf(other, later.input, profile));
    }),
  );
}

// What a write creates or removes, if anything, decides whether the service refuses it.
function decisive(settings: readonly SetThing[], again: Repeatability): readonly SetThing[] {
  const lasting = again === "value" ? [] : settings.filter(({ does }) => does !== "changes");
  return lasting.length > 0 ? lasting : settings;
}

function isOpposite({ does }: SetThing, other: SetThing): boolean {
  if (does === "changes") return true;
  return other.does === (does === "makes" ? "removes" : "makes");
}

function idsOf({ of }: SetThing, input: JsonObject | undefined, profile: Profile): readonly Json[] | undefined {
  return input === undefined ? undefined : of(input, profile);
}

// An unknown thing counts as the same thing.
function meet(own: readonly Json[] | undefined, theirs: readonly Json[] | undefined): boolean {
  if (own === undefined || theirs === undefined) return true;
  return own.some((one) => theirs.some((other) => maybeSameId(one, other)));
}
