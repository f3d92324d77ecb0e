import { EXPRESSION_CODES } from "./expression.ts";
import { INPUT_CODES } from "./inputs.ts";
import { INTERCHANGE_CODES } from "./interchange.ts";
import { PLAYBOOK_CODES } from "./playbook.ts";
import { SCHEDULE_CODES } from "./schedule.ts";
import { RECONCILE_CODES } from "./reconcile.ts";
import { SCHEMA_CODES } from "./schema.ts";
import { SOURCE_CODES } from "./source.ts";

/** An error keeps a file from being used; a warning does not. */
export type Severity = "error" | "warning";

/** The description of a kind of finding, wherever the finding is made. */
interface CatalogueEntry {
  /** Whether the finding keeps the file from being used. */
  readonly severity: Severity;
  /** The finding in a few words, without a full stop. */
  readonly title: string;
  /** What the finding means, and what would happen. */
  readonly meaning: string;
  /** How to correct it. */
  readonly cure: string;
  /** The name of the file in `test/faulty` that shows the finding, without its extension. */
  readonly example: string;
}

/** The code of a diagnostic. Codes are public, and programs branch on them, so a published code keeps its meaning. */
export type Code =
  | keyof typeof SOURCE_CODES
  | keyof typeof SCHEMA_CODES
  | keyof typeof EXPRESSION_CODES
  | keyof typeof INPUT_CODES
  | keyof typeof PLAYBOOK_CODES
  | keyof typeof SCHEDULE_CODES
  | keyof typeof RECONCILE_CODES
  | keyof typeof INTERCHANGE_CODES;

/** An entry as it is written in the catalogue. A finding is an error unless its entry says otherwise. */
type WrittenEntry = Omit<CatalogueEntry, "severity"> & Partial<Pick<CatalogueEntry, "severity">>;

const WRITTEN: Readonly<Record<Code, WrittenEntry>> = {
  ...SOURCE_CODES,
  ...SCHEMA_CODES,
  ...EXPRESSION_CODES,
  ...INPUT_CODES,
  ...PLAYBOOK_CODES,
  ...SCHEDULE_CODES,
  ...RECONCILE_CODES,
  ...INTERCHANGE_CODES,
};

/** Every code that a check can report, in the order in which a file is checked. */
export const CATALOGUE: Readonly<Record<Code, CatalogueEntry>> = Object.fromEntries(
  Object.entries(WRITTEN).map(([code, entry]) => [code, { severity: "error", ...entry }]),
) as Record<Code, CatalogueEntry>;

/** The codes, in the order of the catalogue. */
export const CODES: readonly Code[] = Object.keys(CATALOGUE) as Code[];

/** Returns whether a text is a diagnostic code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(CATALOGUE, text);
}
