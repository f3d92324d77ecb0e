/** The names that a run gives to what it creates; the same run and step always give the same names. */
export interface GivenNames {
  /** Returns an id of letters and digits; `part` distinguishes several ids of one step. */
  readonly id: (part?: string) => string;
  /** Returns a text that no other step of any run has. */
  readonly mark: string;
}

/** Returns the names for one item of a batch. The first ten items add only their digit, as all items did in earlier versions. */
export function namesOfItem(names: GivenNames, at: number): GivenNames {
  const separator = at < 10 ? "" : "item";
  return { id: (part = "") => names.id(part === "" ? `${at}` : `${part}${separator}${at}`), mark: `${names.mark}#${at}` };
}
