import { createRequire } from "node:module";
import type { SchemaCheck, CheckUser, Compile, CompileUser } from "./compile.ts";

// In `dist/`, the build replaces `compile` with this file (decision 27).

// For a longer schema, this many of its characters go into its key.
const SAMPLED_CHARS = 2_000;

/** Returns the key under which the build stores the check of a schema. It depends only on the schema's text. */
export function keyOf(schema: object): string {
  // Two halves of 32 bits. The build makes sure that no two schemas share a key. Node's own digests are slow to load.
  const text = JSON.stringify(schema);
  let [low, high] = [0x811c9dc5 ^ text.length, 0x1b873593];
  for (let at = 0; at < text.length; at += Math.ceil(text.length / SAMPLED_CHARS)) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

const load = createRequire(import.meta.url);

/** Finds the check that the build has compiled for this schema. */
export const find: Compile = ({ root }) => (load(`#checks/${keyOf(root)}`) as { readonly validate: SchemaCheck }).validate;

interface UserCompiler {
  readonly compileUser: CompileUser;
  readonly checkUser: CheckUser;
}

const userCompiler = (): UserCompiler => load("#checks/user") as UserCompiler;

/** The compiler itself, for schemas that the build could not know. */
export const compileUser: CompileUser = (schema, rules, all) => userCompiler().compileUser(schema, rules, all);
/** Checks a user's schema, in the same module. */
export const checkUser: CheckUser = (schema) => userCompiler().checkUser(schema);
