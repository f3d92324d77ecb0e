/** The names that a run gives to what it creates; the same run and step always give the same names. */
export interface GivenNames {
  /** Returns an id of letters and digits; `part` distinguishes several ids of one step. */
  readonly id: (part?: string) => string;
  /** Returns a text that no other step of any run has. */
  readonly mark: string;
}

/** Returns the names for one item of a batch. Items up to the tenth add their digit alone, as runs of earlier versions did for all. */
export function namesOfItem(names: GivenNames, at: number): GivenNames {
  const separator = at < 10 ? "" : "item";
  return { id: (part = "") => names.id(part === "" ? `${at}` : `${part}${separator}${at}`), mark: `${names.mark}#${at}` };
}
