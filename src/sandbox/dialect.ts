import type { Json } from "../base/json/json.ts";
import { demandShape, type DocumentShape } from "./shape.ts";

const CHOICES = {
  unknownParameters: ["refused", "ignored"],
  pendingReceipt: ["word", "not-found", "empty", "null"],
  lastBookmark: ["word", "absent", "null", "repeated"],
  writes: ["committed", "early"],
  numbers: ["plain", "exponent"],
  createdAt: ["given", "null"],
  envelope: ["described", "text", "number"],
  errorFields: ["all", "form"],
} as const;

const ACCEPTED = ["second token", "second vault", "second deposit", "over-mint"] as const;

type DialectChoice<Setting extends keyof typeof CHOICES> = (typeof CHOICES)[Setting][number];

/** How the sandbox behaves where the profile has no setting. A client must understand it without one, or find it out. */
export interface Dialect {
  /** What the sandbox does with unknown query parameters. */
  readonly unknownParameters: DialectChoice<"unknownParameters">;
  /** The answer about the receipt of a write that is not decided yet. */
  readonly pendingReceipt: DialectChoice<"pendingReceipt">;
  /** The bookmark of the last page. `repeated`: an empty page follows, with the bookmark that led to it. */
  readonly lastBookmark: DialectChoice<"lastBookmark">;
  /** When a write is answered that did not ask to be asynchronous. */
  readonly writes: DialectChoice<"writes">;
  /** How answers write numbers, unless the profile writes them as texts. */
  readonly numbers: DialectChoice<"numbers">;
  /** Whether resources show when they were created. */
  readonly createdAt: DialectChoice<"createdAt">;
  /** The status of the investor's envelope: as described for each call, or the same everywhere. */
  readonly envelope: DialectChoice<"envelope">;
  /** Whether errors have `message` and `condition` besides the fields of their form. */
  readonly errorFields: DialectChoice<"errorFields">;
  /** What it accepts although it usually refuses it. */
  readonly accepts: readonly (typeof ACCEPTED)[number][];
}

/** The dialect of a sandbox that was given none. */
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

/** Reads a dialect. Missing settings have their usual value. Throws a Failure that names the wrong place. */
export function readDialect(value: Json): Dialect {
  demandShape(value, DIALECT);
  return { ...USUAL_DIALECT, ...(value as unknown as Partial<Dialect>) };
}
