import { Failure, messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { readFound } from "../files/found.ts";
import { readRegular } from "../files/regular.ts";
import { variablesIn } from "./dotenv-text.ts";
import type { Variables } from "../base/variables.ts";

/** The name of the file with variables for which the process has no value. */
export const DOTENV_FILE = ".env";

/** A file in the format of `.env`. */
export interface DotenvFile {
  readonly path: string;
  /** Whether the user named it. Any other file is read only if nobody else can have written it. */
  readonly isNamed: boolean;
}

/** Returns the variables of a file. Throws a Failure that calls it `name` if it cannot be read. */
export function readDotenv({ path, isNamed }: DotenvFile, name: string): Variables {
  const read = isNamed ? readRegular : readFound;
  try {
    return variablesIn(new TextDecoder("utf-8", { fatal: true }).decode(read({ path, name }, LIMITS.sourceBytes)), name);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "dotenv.unreadable",
      message: `${name} cannot be read: ${messageOf(error)}`,
      next: "fix it, name another file with --dotenv FILE, or leave it out with --no-dotenv",
      cause: error,
    });
  }
}
