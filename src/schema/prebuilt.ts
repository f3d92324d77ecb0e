import { hash } from "node:crypto";
import { createRequire } from "node:module";
import type { Check, Compile } from "./compile.ts";

// This stands in for `compile` in `dist/`.

/** Under which name the build keeps the check of a schema: what the schema says decides. */
export function keyOf(schema: object): string {
  return hash("sha256", JSON.stringify(schema)).slice(0, 16);
}

const load = createRequire(import.meta.url);

/** The check that the build has made of this schema. */
export const find: Compile = ({ root }) => (load(`#checks/${keyOf(root)}`) as { readonly validate: Check }).validate;
