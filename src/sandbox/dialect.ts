import type { Json } from "../base/json/json.ts";
import { demandShape, type DocumentShape } from "./shape.ts";

/** What the sandbox can be made to accept although it refuses it otherwise. */
export type Accepted = "second token" | "second vault" | "second deposit" | "over-mint";

/** How the sandbox speaks beyond the profile: what a client must understand without a setting, or find out. */
export interface Dialect {
  /** What it does with query parameters that it does not know. */
  readonly unknownParameters: "refused" | "ignored";
  /** What it answers about the receipt of a write that is not decided. */
  readonly pendingReceipt: "word" | "not-found" | "empty" | "null";
  /** What the bookmark of the last page is. `repeated`: an empty page follows, with the bookmark that led to it. */
  readonly lastBookmark: "word" | "absent" | "null" | "repeated";
  /** When a write is answered that nobody asked to be asynchronous. */
  readonly writes: "committed" | "early";
  /** How answers write numbers, where the profile has no texts for them. */
  readonly numbers: "plain" | "exponent";
  /** Whether resources show when they were made. */
  readonly createdAt: "given" | "null";
  /** The status of the investor's envelope: as described for each call, or the same everywhere. */
  readonly envelope: "described" | "text" | "number";
  /** Whether errors have `message` and `condition` beside the fields of their form. */
  readonly errorFields: "all" | "form";
  /** What it accepts although it refuses it otherwise. */
  readonly accepts: readonly Accepted[];
}

/** The dialect of a sandbox that is given none. */
export const USUAL_DIALECT: Dialect = {
  unknownParameters: "refused",
  pendingReceipt: "word",
  lastBookmark: "word",
  writes: "committed",
  numbers: "plain",
  createdAt: "given",
  envelope: "described",
  errorFields: "all",
  accepts: [],
};

const CHOICES: { readonly [K in Exclude<keyof Dialect, "accepts">]: readonly Dialect[K][] } = {
  unknownParameters: ["refused", "ignored"],
  pendingReceipt: ["word", "not-found", "empty", "null"],
  lastBookmark: ["word", "absent", "null", "repeated"],
  writes: ["committed", "early"],
  numbers: ["plain", "exponent"],
  createdAt: ["given", "null"],
  envelope: ["described", "text", "number"],
  errorFields: ["all", "form"],
};

const ACCEPTED: readonly Accepted[] = ["second token", "second vault", "second deposit", "over-mint"];

/** The shape of a dialect. */
export const DIALECT: DocumentShape = {
  name: "the dialect",
  code: "sandbox.dialect-invalid",
  schema: {
    type: "object",
    properties: {
      ...Object.fromEntries(Object.entries(CHOICES).map(([name, choices]) => [name, { enum: choices }])),
      accepts: { type: "array", items: { enum: ACCEPTED } },
    },
    additionalProperties: false,
  },
};

/** Reads a dialect; what it leaves out is as usual. Throws a Failure that names the wrong place. */
export function readDialect(value: Json): Dialect {
  demandShape(value, DIALECT);
  return { ...USUAL_DIALECT, ...(value as unknown as Partial<Dialect>) };
}
