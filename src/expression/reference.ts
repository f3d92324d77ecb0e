import type { Stretch } from "../base/text/unescape.ts";

/** A name that an expression reads, with the fields that follow it: `steps.token.id` is `steps` with `token`, `id`. */
export interface Reference extends Stretch {
  /** The name itself: `steps`. */
  readonly root: string;
  /** The fields after it, in their order: `token`, `id`. */
  readonly path: readonly string[];
  /** The conditions that the expression has checked before it reads the name. */
  readonly under: readonly Assumption[];
}

/** A condition that an expression has checked: a field exists, or is or is not a certain text. */
export type Assumption =
  | { readonly is: "there"; readonly path: readonly string[] }
  | { readonly is: "==" | "!="; readonly path: readonly string[]; readonly value: string };
