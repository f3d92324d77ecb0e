import { type CalibrationAsker } from "./asker.ts";
import { settingAt } from "./finding.ts";

/** Names that services use where the description leaves them open. Being in such a list never decides: only answers do (decision 169). */
export type CandidateNames = readonly string[];

/** A parameter that no service has. The answer shows how unknown parameters are treated. */
export const NOBODYS_PARAMETER = "tokenbookCalibrates";

/** An id that nothing has. A service answers a request for it with an error. */
export const NOBODYS_ID = "tokenbookCalibratesNothing";

/** Returns names to try: the listed ones, and for a name of several words (`page-size`) its usual spellings. */
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

/**
 * Returns whether an effect that was seen with a name ends without the name, and comes back with it. If a service answers now in one way and then in another,
 * a single answer does not show which name has the effect.
 */
export async function isSteady(withName: () => Promise<boolean>, without: () => Promise<boolean>): Promise<boolean> {
  return (await without()) && (await withName());
}

/** Returns the names to try for a parameter, with the current one first. */
export function namesFor(asker: CalibrationAsker, setting: readonly string[], candidates: CandidateNames): CandidateNames {
  const present = settingAt(asker.findings.profile, setting);
  return [...new Set([...(typeof present === "string" ? [present] : []), ...candidates])];
}
