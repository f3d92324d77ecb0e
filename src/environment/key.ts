import { isAbsolute, join } from "node:path";
import { Failure, messageOf } from "../base/failure.ts";
import { fitsHeader } from "../base/text/header.ts";
import { LIMITS } from "../base/limits.ts";
import { Secret } from "../base/secret.ts";
import { readRegular } from "../files/regular.ts";
import type { Variables } from "../base/variables.ts";

/** The code of the failure for a missing key, or for another missing value. */
export const KEY_MISSING = "environment.key-missing";

/** The place of a key in an environment. */
export interface KeyReference {
  /** The text that replaces it when it is masked. */
  readonly name: string;
  /** The reference: `env:NAME` or `file:PATH`. */
  readonly reference: string;
  /** The line of the reference, for messages. */
  readonly where: string;
}

/** Reads a key; the path of a file is relative to `folder`. Throws a Failure if it is missing, or too short to be masked. */
export function readKey(key: KeyReference, from: { readonly folder: string; readonly variables: Variables }): Secret {
  const [kind, place] = partsOf(key.reference);
  const value = kind === "env" ? from.variables[place] : fileText(key, place, from.folder);
  const text = value?.trim() ?? "";
  if (text.length >= LIMITS.secretLeastChars) return new Secret(key.name, text, kind === "env" ? place : undefined);
  if (text !== "") throw tooShort(key, place);
  throw new Failure({
    code: KEY_MISSING,
    message: kind === "env" ? `the environment variable ${place} is not set` : `the file ${place} is empty`,
    why: `${key.where} takes the key from there`,
    next: kind === "env" ? `export ${place}=…` : `write the key into ${place}`,
  });
}

/** Reads a key that is sent in a header. Throws a Failure if it is missing, or not valid in a header. */
export function readServiceKey(key: KeyReference, from: { readonly folder: string; readonly variables: Variables }): Secret {
  const secret = readKey(key, from);
  if (fitsHeader(secret.reveal())) return secret;
  const [, place] = partsOf(key.reference);
  throw new Failure({
    code: "environment.key-not-in-header",
    message: `the key in ${place} cannot be sent: it holds ${/[\r\n]/.test(secret.reveal()) ? "more than one line" : "characters that no HTTP header takes"}`,
    why: `the service takes the key in a header (${key.where})`,
    next: `put the key as the service issued it, and nothing else, into ${place}`,
  });
}

function partsOf(reference: string): readonly [string, string] {
  const at = reference.indexOf(":");
  return [reference.slice(0, at), reference.slice(at + 1)];
}

function tooShort({ where }: KeyReference, place: string): Failure {
  return new Failure({
    code: "environment.key-short",
    message: `the key in ${place} has fewer than ${LIMITS.secretLeastChars} characters`,
    why: `a key is masked wherever it might be printed, and one this short would mask other words too (${where})`,
    next: "use a longer key",
  });
}

const ONE_KEY = { next: "name a file that holds the key and nothing else" };

function fileText({ where }: KeyReference, place: string, folder: string): string {
  const path = isAbsolute(place) ? place : join(folder, place);
  try {
    return readRegular({ path, name: `the key file ${place}`, ifTooLarge: ONE_KEY }, LIMITS.keyBytes).toString("utf8");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: KEY_MISSING,
      message: `the key file ${place} cannot be read: ${messageOf(error)}`,
      why: `${where} takes the key from there`,
      next: `write the key into ${path}`,
    });
  }
}
