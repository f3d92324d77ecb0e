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
  /** Bytes of one data file, of any other text that is read, and of the file of a key. */
  dataBytes: 16_777_216,
  keyBytes: 65_536,
  /** Rows of one CSV file. */
  dataRows: 100_000,
  /** Parts of one JSON Schema that expressions know the types of. */
  schemaShapes: 2_000,
  /** Problems told of one input. */
  inputProblems: 20,
  /** Characters of a broken JSON text in which the place of the fault is looked for. */
  locatedChars: 1_000_000,
  /** Lines by which two texts may differ and still be shown as a patch of single hunks. */
  patchEdits: 1_000,
  /** The fewest characters of a secret: a shorter one would mask other words too. */
  secretLeastChars: 8,
  /** Encodings around one another, such as HTML in JSON in JSON, through which a secret is found. */
  escapeLevels: 8,
  /** Characters of the name of a group of runs. */
  groupChars: 200,
  /** How long writing to a pipe waits for its reader, in milliseconds. */
  streamWaitMs: 10_000,
  /** Names that a process tries for the file by whose lock others see that it is alive. */
  lockTries: 20,
  /** How old an intent may be when its request leaves, in milliseconds: a process that was stopped in between does not send it any more. */
  intentMs: 10_000,
  /** How long a run waits, before it begins, for a process that acts as the same entity, in milliseconds. */
  entityWaitMs: 600_000,
  /** Open writes that are named where they keep a run from beginning, and characters of a caller's key. */
  openWritesShown: 5,
  keyChars: 128,
  /** Runs that are listed where a part of an id stands for several. */
  runsNamed: 10,
  /** Changes told of an edited playbook that do not fit what its run has done, and characters of each value in them. */
  editConflicts: 20,
  editedChars: 200,
  /** Bytes of the head of one answer, and of all of it. */
  answerHeadBytes: 16_384,
  answerBytes: 67_108_864,
  /** Characters kept of what a service says when it refuses. */
  refusalChars: 1_000,
  /** Characters of one expression. */
  expressionChars: 10_000,
  /** Syntax nodes of one expression. */
  expressionNodes: 2_000,
  /** Expressions kept for the next place, or playbook, that writes the same. */
  recent: 4_000,
  /** Comprehensions (`map`, `filter`, `exists`, …) inside one another. */
  expressionComprehensions: 2,
  /** Steps that one evaluation may take: about one for each part that is evaluated, more for long lists, texts and numbers. */
  expressionSteps: 10_000_000,
  /** Rows of a comparison whose expressions share one budget. */
  rowsTogether: 1_000,
  /** Characters of a text that expressions put together. */
  textChars: 16_777_216,
  /** Steps that the check of one value against a schema may take, counted likewise. */
  validationSteps: 10_000_000,
  /** Parts of one JSON Schema, with what it refers to. */
  schemaParts: 2_000,
  /** Characters of a text that a `format` of a JSON Schema is compared with, and of a duration in an expression. */
  formatChars: 2_000,
  durationChars: 100,
  /** Parts of one pattern, with its repetitions written out. */
  patternParts: 1_000,
  /** What a failed expectation shows. Levels of its tree, sub-expressions, and characters of all that it says. */
  explainedDepth: 12,
  explainedNodes: 200,
  explainedChars: 30_000,
  /** Evaluations, items of a list looked at for a near one, and items shown of a comprehension. */
  explainedEvaluations: 20_000,
  explainedCandidates: 200,
  explainedItems: 5,
  /** Ways named in which it would hold, and differing places of two values. */
  explainedHints: 5,
  explainedChanges: 20,
  /** Edits looked for between two lists, before they are compared place by place. */
  explainedEdits: 200,
  /** Characters of one value as JSON, and its nesting. */
  shownChars: 1_000,
  shownDepth: 20,
  /** Lines of the answer, and their characters. */
  shownLines: 30,
  shownAnswerChars: 8_000,
  /** Characters of an answer that a plan keeps whole, steps named whose answer is another now, and places told of each. */
  planAnswerChars: 20_000,
  planChanges: 20,
  planPlaces: 5,
  /** Pages read of one list. */
  pages: 10_000,
  /** Rounds of one `foreach`. */
  foreachItems: 10_000,
  /** Characters of a name for which a near one is looked up. */
  nameChars: 100,
  /** How long a write of which nobody knows what became of it is looked for, from its sending on, in milliseconds. */
  probeMs: 10_000,
  /** How long before one that could do no harm is sent once more: what is only late is rather waited for. */
  patienceMs: 1_000,
  /** The longest that a run waits for the time in which every write is declared to take effect. */
  settleMs: 600_000,
  /** The longest that one request may be given, in milliseconds. */
  requestMs: 3_600_000,
  /** Attempts of one read that fails in transport. */
  readAttempts: 4,
  /** Attempts of one read that the service is too busy for, and the longest that it is given between them, in milliseconds. */
  busyAttempts: 20,
  heldBackMs: 30_000,
  /** The longest that all attempts of one read may take together before no more are made, in milliseconds. */
  readMs: 120_000,
  /** Steps of one playbook. */
  steps: 10_000,
  /** Steps named beforehand in a report; a playbook that is included twice counts twice. */
  headings: 20_000,
  /** Playbooks that one playbook includes, one within another and in all. */
  includeDepth: 8,
  includes: 64,
  /** Times that a read or a block of reads is tried. */
  retries: 100,
  /** The longest pause between two tries, in milliseconds. */
  pauseMs: 600_000,
  /** How long a run that was interrupted may go on with what is to be done always, in milliseconds. */
  graceMs: 30_000,
  /** How long a run that is to stop waits for the answer of a write that is on its way: then the answer counts as lost. */
  writeGraceMs: 10_000,
  /** Rounds of a `foreach` under way at a time. */
  parallel: 64,
  /** Playbook files of one command. */
  files: 10_000,
  /** Diagnostics shown for one file. */
  diagnostics: 50,
  /** Characters kept of what a child process says on stderr. */
  childErrorChars: 65_536,
  /** Crash tests: the longest that a run to be killed may take, in milliseconds, times it is resumed, and differences told of each. */
  crashChildMs: 600_000,
  crashResumes: 5,
  crashDifferences: 5,
  /** What `doctor` calls little room on the disk of the state directory, in bytes; difference of clocks, in milliseconds; and runs looked at. */
  doctorFreeBytes: 104_857_600,
  doctorSkewMs: 5_000,
  doctorRuns: 1_000,
  /** How long `doctor` waits for an address to be found, for a connection, or for one answer, in milliseconds. */
  doctorMs: 10_000,
  /** How soon a certificate's end is told, in milliseconds. */
  doctorCertificateMs: 1_209_600_000,
  /** Characters that `--debug` shows of one body. */
  debugBodyChars: 4_000,
  /** How late a scheduled run may begin and still be in time, in milliseconds: what is later was missed. */
  scheduleLateMs: 60_000,
  /** How long a schedule looks at nothing at most, and while another process has something under way, in milliseconds. */
  scheduleNapMs: 30_000,
  schedulePollMs: 1_000,
  /** How long a run may keep back those that follow before that is told, in milliseconds. */
  scheduleHeldMs: 43_200_000,
  /** How long a run may go on after its schedule was told to stop, before it is interrupted, in milliseconds. */
  scheduleGraceMs: 20_000,
  /** By how much the clock may be set back before a schedule begins anew, and what waits to be told is tried at once, in milliseconds. */
  scheduleSetBackMs: 86_400_000,
  /** Firings of one schedule that wait for the one under way; missed ones looked at; and those that are remembered. */
  firingsQueued: 1,
  firingsAtOnce: 1_000,
  firingsKept: 1_000,
  /** Notifications: how often each is tried, the pauses between, how long one may take when it says nothing, in milliseconds. */
  notificationAttempts: 8,
  notificationPauseMs: 5_000,
  notificationPauseMostMs: 3_600_000,
  notificationMs: 10_000,
  /** How many may wait, are under way at a time, and how long a command that ends waits for them. */
  notificationsWaiting: 1_000,
  notificationsAtOnce: 8,
  notificationsLastMs: 30_000,
  /** How soon, in milliseconds, it is told again that a schedule fails for the same reason: less than a day, for clocks may be put forward meanwhile. */
  reminderMs: 82_800_000,
  /** Steps that did not pass told in a notification, and characters of each text. */
  notificationSteps: 20,
  notificationChars: 1_000,
  /** What is served to browsers and scrapers: connections at a time, how long a request may take to come, or an answer stand still, in milliseconds, and how often that is looked at. */
  servedConnections: 64,
  servedRequestMs: 10_000,
  servedLookMs: 1_000,
  /** Annotations of each severity: as many as GitHub shows of one job step. */
  annotations: 10,
  /** Characters of a report in Markdown, which a comment may have, and steps that its table tells. */
  markdownChars: 60_000,
  markdownSteps: 200,
  /** Exchanges that a trace keeps of one run, spans of one request to a collector, and how long that may take, in milliseconds. */
  tracedExchanges: 100_000,
  traceBatch: 2_000,
  traceMs: 10_000,
  /** Characters that an HTML report shows of one value, and of all values of a report. */
  htmlValueChars: 20_000,
  htmlChars: 16_777_216,
  /** Writes that its table of the guarantee tells one by one, and steps named that want a person. */
  htmlWrites: 500,
  htmlConcerns: 50,
  /** Pages that are served: runs listed, and steps of two runs held against each other. */
  viewRuns: 1_000,
  viewSteps: 2_000,
  /** Drifts and schedules listed, entries of the history of one, and next firings told. */
  viewDrifts: 1_000,
  viewSchedules: 200,
  viewHistory: 500,
  viewFirings: 5,
  /** Points of a line of a plot, and bars. */
  plotPoints: 200,
  /** Rows of each table of a comparison. */
  htmlRows: 200,
  /** Comparisons of one playbook. */
  comparisons: 100,
  /** Rows of one side of a comparison, and keys that differ, beyond which the two are not alike at all. */
  compareRows: 10_000_000,
  drifts: 10_000,
  /** Drifts, cleared ones, and totals told of one comparison in a report; `tokenbook drift list` has all of them. */
  driftsTold: 1_000,
  /** Times that a difference is looked at before what still moves is called moving. */
  looks: 4,
  /** The longest that a drift may be acknowledged for, in days. */
  acknowledgedDays: 366,
  /** Rows kept as evidence of one side of one drift. */
  driftRows: 5,
  /** Records, and characters of their bodies, kept in memory before the journal writes them out. */
  journalBuffer: 1_000,
  journalBufferChars: 4_194_304,
} as const;
