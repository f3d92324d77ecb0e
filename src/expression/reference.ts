/** A name that an expression reads, with the fields that follow it: `steps.token.id` is `steps` with `token`, `id`. */
export interface Reference {
  readonly root: string;
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}
