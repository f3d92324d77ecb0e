/** Every bound the product keeps, in one place: each wait, list, loop and text has one, and a test for it. */
export const LIMITS = {
  /** Digits, and size of the exponent, of one number. */
  decimalDigits: 1_000,
  /** Decimal places kept by a division. */
  divisionDigits: 40,
  /** Nesting of brackets in a YAML or JSON text. */
  textDepth: 64,
  /** Nesting in a service's answer. */
  answerDepth: 200,
  /** Nesting of a journal record, which wraps an answer. */
  recordDepth: 216,
  /** Bytes of one YAML file. */
  sourceBytes: 1_048_576,
  /** Bytes of one answer. */
  answerBytes: 67_108_864,
  /** Characters kept of what a service says when it refuses. */
  refusalChars: 1_000,
  /** Characters of one expression. */
  expressionChars: 10_000,
  /** Syntax nodes of one expression. */
  expressionNodes: 2_000,
  /** Comprehensions (`map`, `filter`, `exists`, …) inside one another. */
  expressionComprehensions: 2,
  /** Pages read of one list. */
  pages: 10_000,
  /** Rounds of one `foreach`. */
  foreachItems: 10_000,
  /** Characters of a name for which a near one is looked up. */
  nameChars: 100,
  /** Attempts of one read that fails in transport. */
  readAttempts: 4,
  /** Steps of one playbook. */
  steps: 10_000,
  /** Playbook files of one command. */
  files: 10_000,
  /** Diagnostics shown for one file. */
  diagnostics: 50,
  /** Records kept in memory before the journal writes them out. */
  journalBuffer: 256,
} as const;
