/** A name that an expression reads, with the fields that follow it: `steps.token.id` is `steps` with `token`, `id`. */
export interface Reference {
  readonly root: string;
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  /** What the expression has asked before it reads the name. */
  readonly under: readonly Assumption[];
}

/** Something that an expression has made sure of: that a field is there, or what text it is, or is not. */
export type Assumption =
  | { readonly is: "there"; readonly path: readonly string[] }
  | { readonly is: "==" | "!="; readonly path: readonly string[]; readonly value: string };
