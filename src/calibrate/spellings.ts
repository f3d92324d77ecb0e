import { type CalibrationAsker } from "./asker.ts";
import { settingAt } from "./finding.ts";

/** Names that services give to what the description leaves open. A name is never taken because it is in such a list: only answers decide (decision 169). */
export type CandidateNames = readonly string[];

/** A parameter that no service has: what comes of it shows how unknown ones are treated. */
export const NOBODYS_PARAMETER = "tokenbookCalibrates";

/** What nobody has: a service answers a question for it with an error. */
export const NOBODYS_ID = "tokenbookCalibratesNothing";

/** Returns names to try: each of those that are listed, in the usual spellings of its words where it has several (`page-size`). */
export function names(...listed: readonly string[]): CandidateNames {
  return listed
    .join(" ")
    .split(" ")
    .flatMap((name) => spellings(name.split("-")));
}

function spellings(words: readonly string[]): CandidateNames {
  const [first = "", ...rest] = words;
  const camel = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return [...new Set([camel, words.join("_"), words.join("-"), camel.toLowerCase()])];
}

/** Returns the names to try of a parameter, the present one first. */
export function namesFor(asker: CalibrationAsker, setting: readonly string[], candidates: CandidateNames): CandidateNames {
  const present = settingAt(asker.findings.profile, setting);
  return [...new Set([...(typeof present === "string" ? [present] : []), ...candidates])];
}
