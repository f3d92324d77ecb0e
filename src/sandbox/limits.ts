/** Every bound the sandbox keeps. */
export const SANDBOX_LIMITS = {
  /** Connections at a time, how long a request may take to come, in milliseconds, and how often that is looked at. */
  connections: 1_024,
  requestMs: 10_000,
  lookMs: 1_000,
  /** Characters of one part of a path: more than the head of a request may have. */
  pathCharacters: 65_536,
  /** Bytes of one request body. */
  bodyBytes: 8_388_608,
  /** Records that one page may be asked for. */
  pageSize: 1_000,
  /** Problems named in one answer about invalid parameters. */
  problemsShown: 5,
  /** Digits of one amount: sums and products of amounts then keep within the digits of a number. */
  amountDigits: 100,
  /** Levels of references that one answer resolves. */
  referenceDepth: 10,
  /** Assets that one answer puts in place of their ids. */
  referencedAssets: 1_000,
  /** Rows of one table of the page. */
  pageRows: 20,
  /** Where the virtual clock ends, in milliseconds since the Unix epoch: with the last year that a timestamp writes in four digits. */
  clockEndMs: 253_402_300_800_000,
  /** Longest single sleep on the virtual clock, which may be moved meanwhile. */
  clockPollMs: 250,
} as const;
