import type { Json } from "../base/json/json.ts";
import { mapValues } from "../base/maps.ts";
import { demandShape, type DocumentShape } from "./shape.ts";

/** What a sandbox may do in each respect. The first choice is the usual one. */
const CHOICES = {
  /** What the sandbox does with unknown query parameters. */
  unknownParameters: ["refused", "ignored"],
  /** The answer about the receipt of a write that is not decided yet. */
  pendingReceipt: ["word", "not-found", "empty", "null"],
  /** The bookmark of the last page. `repeated`: an empty page follows, with the bookmark that led to it. */
  lastBookmark: ["word", "absent", "null", "repeated"],
  /** When a write is answered that did not ask to be asynchronous. */
  writes: ["committed", "early"],
  /** How answers write numbers, unless the profile writes them as texts. */
  numbers: ["plain", "exponent"],
  /** Whether resources show when they were created. */
  createdAt: ["given", "null"],
  /** The status of the investor's envelope: as described for each call, or the same everywhere. */
  envelope: ["described", "text", "number"],
  /** Whether errors have `message` and `condition` besides the fields of their form. */
  errorFields: ["all", "form"],
} as const;

const ACCEPTED = ["second token", "second vault", "second deposit", "over-mint"] as const;

type DialectChoices = { readonly [Setting in keyof typeof CHOICES]: (typeof CHOICES)[Setting][number] };

/** How the sandbox behaves where the profile has no setting. A client must understand it without one, or find it out. */
export interface Dialect extends DialectChoices {
  /** What it accepts although it usually refuses it. */
  readonly accepts: readonly (typeof ACCEPTED)[number][];
}

/** The dialect of a sandbox that was given none. */
export const USUAL_DIALECT: Dialect = { ...(mapValues(CHOICES, ([usual]) => usual) as DialectChoices), accepts: [] };

/** The shape of a dialect. */
export const DIALECT: DocumentShape = {
  name: "the dialect",
  code: "sandbox.dialect-invalid",
  schema: {
    type: "object",
    properties: {
      ...mapValues(CHOICES, (choices) => ({ enum: choices })),
      accepts: { type: "array", items: { enum: ACCEPTED } },
    },
    additionalProperties: false,
  },
};

/** Reads a dialect. Missing settings have their usual value. Throws a Failure that names the wrong place. */
export function readDialect(value: Json): Dialect {
  demandShape(value, DIALECT);
  return { ...USUAL_DIALECT, ...(value as unknown as Partial<Dialect>) };
}
