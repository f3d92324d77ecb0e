import { parseEnv } from "node:util";
import { Failure, messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { readRegular } from "../files/regular.ts";
import type { Variables } from "./key.ts";

/** The name of the file that gives variables which the process does not set. */
export const DOTENV_FILE = ".env";

/** The variables of a file in the form of `.env`. Throws a Failure that calls it by `name` when it cannot be read. */
export function readDotenv(path: string, name: string): Variables {
  try {
    return parseEnv(new TextDecoder("utf-8", { fatal: true }).decode(readRegular({ path, name }, LIMITS.sourceBytes)));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "dotenv.unreadable",
      message: `${name} cannot be read: ${messageOf(error)}`,
      next: "mend it, name another file with --dotenv FILE, or leave it out with --no-dotenv",
      cause: error,
    });
  }
}
