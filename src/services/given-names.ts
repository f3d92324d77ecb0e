/** The names that a run gives to what it creates; the same run and step always give the same names. */
export interface GivenNames {
  /** Returns an id of letters and digits; `part` distinguishes several ids of one step. */
  readonly id: (part?: string) => string;
  /** Returns a text that no other step of any run has. */
  readonly mark: string;
}
