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
  /** Bytes of one data file. */
  dataBytes: 16_777_216,
  /** Rows of one CSV file. */
  dataRows: 100_000,
  /** Parts of one JSON Schema that expressions know the types of. */
  schemaShapes: 2_000,
  /** Problems told of one input. */
  inputProblems: 20,
  /** Bytes of one answer. */
  answerBytes: 67_108_864,
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
  /** Records, and characters of their bodies, kept in memory before the journal writes them out. */
  journalBuffer: 1_000,
  journalBufferChars: 4_194_304,
} as const;
