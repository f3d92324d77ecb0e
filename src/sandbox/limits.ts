/** All limits of the sandbox. */
export const SANDBOX_LIMITS = {
  /** The largest number of connections, how long a request may take to arrive in milliseconds, and how often this is checked. */
  connections: 1_024,
  requestMs: 10_000,
  lookMs: 1_000,
  /** The length of one part of a path: more than the head of a request may have. */
  pathCharacters: 65_536,
  /** Bytes of one request body. */
  bodyBytes: 8_388_608,
  /** Records on one page. */
  pageSize: 1_000,
  /** Problems in one answer about invalid parameters. */
  problemsShown: 5,
  /** Digits of one amount. Sums and products of amounts then stay within the digits of a number. */
  amountDigits: 100,
  /** Levels of references that one answer resolves. */
  referenceDepth: 10,
  /** Assets that one answer inserts in place of their ids. */
  referencedAssets: 1_000,
  /** Rows of one table on the page. */
  pageRows: 20,
  /** The end of the virtual clock in milliseconds since the Unix epoch: the last year that a timestamp writes in four digits. */
  clockEndMs: 253_402_300_800_000,
  /** Longest single sleep on the virtual clock, which may be moved during the sleep. */
  clockPollMs: 250,
} as const;
