/** The names that a run gives to what it creates; the same run and step always give the same names. */
export interface GivenNames {
  /** An id of letters and digits; `part` tells several ids of one step apart. */
  readonly id: (part?: string) => string;
  /** A text that no other step of any run carries. */
  readonly mark: string;
}
