/** Every bound of tokenbook, in one place: each wait, list, loop and text has a bound, and a test for it. */
export const LIMITS = {
  /** Digits, and size of the exponent, of one number. */
  decimalDigits: 1_000,
  /** Decimal places kept by a division. */
  divisionDigits: 40,
  /** Nesting of brackets in a YAML or JSON text. */
  textDepth: 64,
  /** Nesting in a service's answer, and in a value that expressions give. */
  answerDepth: 200,
  /** Nesting of a journal record, or of a plan, which wraps an answer. */
  recordDepth: 216,
  /** Bytes of one YAML file. */
  sourceBytes: 1_048_576,
  /** Bytes of one data file, of any other text that is read, and of the file of a key. */
  dataBytes: 16_777_216,
  keyBytes: 65_536,
  /** Rows of one CSV file. */
  dataRows: 100_000,
  /** Characters of one row of a file that tokenbook reads row by row. */
  rowChars: 1_048_576,
  /** Parts of one JSON Schema that expressions know the types of. */
  schemaShapes: 2_000,
  /** Problems shown of one input. */
  inputProblems: 20,
  /** Characters of a broken JSON text in which the place of the fault is searched. */
  locatedChars: 1_000_000,
  /** Lines by which two texts may differ and still be shown as a patch of single hunks. */
  patchEdits: 1_000,
  /** The fewest characters of a secret: a shorter one would mask other words too. */
  secretLeastChars: 8,
  /** Nested encodings, such as HTML in JSON in JSON, through which tokenbook finds a secret. */
  escapeLevels: 8,
  /** Characters of the name of a group of runs. */
  groupChars: 200,
  /** How long writing to a pipe waits for its reader, in milliseconds. */
  streamWaitMs: 10_000,
  /** File names that a process tries for its lock file, whose lock shows other processes that it is alive. */
  lockTries: 20,
  /** How old an intent may be when its request leaves, in milliseconds. A process that was suspended for longer does not send the request. */
  intentMs: 10_000,
  /** If the write of another run took effect less than this time before the readings of a write, they may not show it yet, in milliseconds. */
  justBeforeMs: 5_000,
  /** How long after its acknowledgement another run still expects the effect of a write, if nobody has seen the effect, in milliseconds. */
  mayArriveMs: 86_400_000,
  /** How long a request without an answer may still arrive and undo what another run does, if no `settleWithin` is declared, in milliseconds. */
  lateWriteMs: 3_600_000,
  /** How long a run waits to start while another process acts as the same entity, in milliseconds. */
  entityWaitMs: 600_000,
  /** Open writes that a message names if they prevent a run from starting, and characters of a caller's key. */
  openWritesShown: 5,
  keyChars: 128,
  /** Runs that a message lists if a part of an id fits several. */
  runsNamed: 10,
  /** Later runs of the same playbook that `resume` without a run's name checks before it resumes the last run that did not pass. */
  laterRuns: 1_000,
  /** Runs of a playbook that did not pass, among which a new run searches for one with the same inputs before it starts. */
  unfinishedRuns: 50,
  /** Runs of one playbook that `run --repeat` makes. */
  repeats: 1_000,
  /** Steps that a message names because a new run would repeat them. */
  writtenShown: 5,
  /** Refused edits of a playbook that a message shows, and characters of each value in them. */
  editConflicts: 20,
  editedChars: 200,
  /** Bytes of the head of one answer, and of the part of an answer that is held in memory. */
  answerHeadBytes: 16_384,
  answerBytes: 67_108_864,
  /** Bytes of one list whose records are used as they arrive. */
  listBytes: 17_179_869_184,
  /** Characters kept of the service's message when it refuses. */
  refusalChars: 1_000,
  /** Characters of one expression. */
  expressionChars: 10_000,
  /** Syntax nodes of one expression. */
  expressionNodes: 2_000,
  /** Checked expressions that are kept in memory, so that the same text is not checked twice. */
  recent: 4_000,
  /** Nesting of comprehensions (`map`, `filter`, `exists`, …). */
  expressionComprehensions: 2,
  /** Steps that one evaluation may take: about one for each part that is evaluated, more for long lists, texts and numbers. */
  expressionSteps: 10_000_000,
  /** Rows of a comparison whose expressions share one budget. */
  rowsTogether: 1_000,
  /** Characters of a text that expressions join. */
  textChars: 16_777_216,
  /** Steps that the check of one value against a schema may take, counted like those of an evaluation. */
  validationSteps: 10_000_000,
  /** Parts of one JSON Schema, with what it refers to. */
  schemaParts: 2_000,
  /** Characters of a text that is checked against a `format` of a JSON Schema, and of a duration in an expression. */
  formatChars: 2_000,
  durationChars: 100,
  /** Parts of one pattern, with its repetitions written out. */
  patternParts: 1_000,
  /** What a failed expectation shows: levels of its tree, sub-expressions, and characters of the whole explanation. */
  explainedDepth: 12,
  explainedNodes: 200,
  explainedChars: 30_000,
  /** Evaluations, items of a list that are searched for a similar one, and items shown of a comprehension. */
  explainedEvaluations: 20_000,
  explainedCandidates: 200,
  explainedItems: 5,
  /** Conditions shown under which a failed expectation would hold, and differing places shown of two values. */
  explainedHints: 5,
  explainedChanges: 20,
  /** Edits that are searched for between two lists before they are compared place by place. */
  explainedEdits: 200,
  /** Characters of one value as JSON, and its nesting. */
  shownChars: 1_000,
  shownDepth: 20,
  /** Lines of the answer that a failed expectation shows, and their characters. */
  shownLines: 30,
  shownAnswerChars: 8_000,
  /** Conditions of one step that held and are kept with their values, values of each condition, characters of one value, and characters of all values that are kept of one step. */
  heldConditions: 20,
  heldValues: 8,
  heldValueChars: 200,
  heldChars: 2_000,
  /** Characters of an answer that a plan keeps whole, steps named whose answer has changed, and places shown of each. */
  planAnswerChars: 20_000,
  planChanges: 20,
  planPlaces: 5,
  /** Pages read of one list. */
  pages: 10_000,
  /** Rounds of one `foreach`. */
  foreachItems: 10_000,
  /** Characters of a name for which tokenbook looks up a similar name. */
  nameChars: 100,
  /** How long after its request tokenbook searches for a write with unknown outcome, in milliseconds. */
  probeMs: 10_000,
  /** How long tokenbook waits for a late effect before it sends a harmless write again, in milliseconds. */
  patienceMs: 1_000,
  /** The longest that a run waits until every write must have taken effect by its declared time, in milliseconds. */
  settleMs: 600_000,
  /** How long one address of a name may take to accept a connection before the next address is tried, in milliseconds. */
  addressMs: 1_000,
  /** The longest timeout of one request, in milliseconds. */
  requestMs: 3_600_000,
  /** Attempts of one read that fails in transport, in a step without `retry`. */
  readAttempts: 4,
  /** Attempts of one read of a file of the state without locks, when another process writes the file each time. */
  unlockedReads: 10,
  /** Attempts of one read while the service is too busy (no `retry` counts them), and the longest pause between them, in milliseconds. */
  busyAttempts: 20,
  heldBackMs: 30_000,
  /** The longest that all attempts of one read may take together, in milliseconds. */
  readMs: 120_000,
  /** Steps of one playbook. */
  steps: 10_000,
  /** Planned steps listed in a report; a playbook that is included twice counts twice. */
  headings: 20_000,
  /** Playbooks that one playbook includes: nested, and in total. */
  includeDepth: 8,
  includes: 64,
  /** Times that a read or a block of reads is tried. */
  retries: 100,
  /** The longest pause between two tries, in milliseconds. */
  pauseMs: 600_000,
  /** How long an interrupted run may continue with its `always` steps, in milliseconds. */
  graceMs: 30_000,
  /** How long a stopping run waits for the answer to a write, in milliseconds. After that, the answer counts as lost. */
  writeGraceMs: 10_000,
  /** Rounds of a `foreach` that run at a time. */
  parallel: 64,
  /** Playbook files of one command. */
  files: 10_000,
  /** Diagnostics shown for one file. */
  diagnostics: 50,
  /** Diagnostics printed as text for all files of one command; `check --json` has those of every file. */
  diagnosticsAsText: 200,
  /** Files that a message names because they cannot be run or are skipped. */
  filesNamed: 20,
  /** Characters kept of the stderr of a child process. */
  childErrorChars: 65_536,
  /** Crash tests: the longest time before a run is killed, in milliseconds, how often the run is resumed, and differences shown of each. */
  crashChildMs: 600_000,
  crashResumes: 5,
  crashDifferences: 5,
  /** Exploring: sequences of one command and how long it may take, in milliseconds, unless its options say otherwise. */
  exploreSequences: 10_000,
  exploreMs: 120_000,
  /** Exploring: steps of one sequence, sequences at a time, and pages read of one list. The rest of a longer list is not read. */
  exploreSteps: 60,
  exploreAtOnce: 8,
  explorePages: 40,
  /** Exploring, in milliseconds: how long it waits for a receipt, how long its sequences in progress may last beyond its time, and its pause before it acts on a request that may end at once. */
  exploreReceiptMs: 30_000,
  exploreEndMs: 10_000,
  explorePauseMs: 5,
  /** Exploring: times that one finding is replayed to shorten it, findings, and lost answers after which exploring gives up. */
  exploreShorter: 300,
  exploreFindings: 20,
  exploreLost: 20,
  /** Exploring: sequences whose write the service has refused, while it has done none, after which exploring gives up. */
  exploreRefused: 100,
  /** `doctor`: free bytes on the disk of the state directory below which it warns, difference between two clocks in milliseconds, and runs checked. */
  doctorFreeBytes: 104_857_600,
  doctorSkewMs: 5_000,
  doctorRuns: 1_000,
  /** How long `doctor` waits for an address lookup, a connection, or one answer, in milliseconds. */
  doctorMs: 10_000,
  /** How long before its expiry a certificate is reported, in milliseconds. */
  doctorCertificateMs: 1_209_600_000,
  /** Calibration: requests, additional requests that remove what it made, how long one read may take with its repetitions, in milliseconds, consecutive reads without a usable answer, and characters shown of a request and of an answer. */
  calibrateRequests: 1_000,
  calibrateRemovals: 400,
  calibrateReadMs: 10_000,
  calibrateTroubles: 5,
  calibrateShownChars: 240,
  /** Calibration: how long it waits for the receipt of a write, the first and the longest pause between two reads, in milliseconds, and reads of a receipt after its effect was seen. */
  calibrateReceiptMs: 30_000,
  calibratePauseMs: 50,
  calibratePauseMostMs: 1_000,
  calibrateLooks: 5,
  /** Characters that `--debug` shows of one body. */
  debugBodyChars: 4_000,
  /** How late a scheduled run may start, in milliseconds. A firing that is later counts as missed. */
  scheduleLateMs: 60_000,
  /** The longest pause of a schedule between two checks, and the pause while another process runs something, in milliseconds. */
  scheduleNapMs: 30_000,
  schedulePollMs: 1_000,
  /** How many files of schedules are checked for edits each second. */
  scheduleFilesAtOnce: 1_000,
  /** How long a run may delay the next firings before the delay is reported, in milliseconds. */
  scheduleHeldMs: 43_200_000,
  /** How long a run may continue after its schedule was stopped before the run is interrupted, in milliseconds. */
  scheduleGraceMs: 20_000,
  /** How far the clock may be set back, or be behind the clock of another machine, before a schedule starts again from the new time, in milliseconds. */
  scheduleSetBackMs: 60_000,
  /** Firings of one schedule that wait for its running one, missed firings that are checked, and missed firings that are remembered. */
  firingsQueued: 1,
  firingsAtOnce: 1_000,
  firingsKept: 1_000,
  /** Future firings that `schedule list` lists of a schedule. */
  firingsListed: 1_000,
  /** Notifications: attempts of each, the pauses between them, and how long one attempt may take by default, in milliseconds. */
  notificationAttempts: 8,
  notificationPauseMs: 5_000,
  notificationPauseMostMs: 3_600_000,
  notificationMs: 10_000,
  /** Notifications: how many may wait, how many are sent at a time, and how long a command that ends waits for them, in milliseconds. */
  notificationsWaiting: 1_000,
  notificationsAtOnce: 8,
  notificationsLastMs: 30_000,
  /** Heartbeats: how long one ping may take, and the pause before the next attempt, in milliseconds; attempts; and pings of one schedule that wait. */
  heartbeatMs: 10_000,
  heartbeatPauseMs: 1_000,
  heartbeatAttempts: 3,
  heartbeatsWaiting: 16,
  /** How long until the same failure of a schedule is reported again, in milliseconds. It is less than a day, because clocks may be put forward. */
  reminderMs: 82_800_000,
  /** Steps that did not pass in a notification, and characters of each text. */
  notificationSteps: 20,
  notificationChars: 1_000,
  /** The server for browsers and scrapers: connections at a time, how long a request may take to arrive, how long an answer may pause, and how often both are checked, in milliseconds. */
  servedConnections: 64,
  servedRequestMs: 10_000,
  servedLookMs: 1_000,
  /** Annotations of each severity: GitHub shows this many for one step of a job. */
  annotations: 10,
  /** Characters of a report in Markdown, which a comment may have, and steps in its table. */
  markdownChars: 60_000,
  markdownSteps: 200,
  /** Exchanges that a trace keeps of one run, spans of one request to a collector, and how long that request may take, in milliseconds. */
  tracedExchanges: 100_000,
  traceBatch: 2_000,
  traceMs: 10_000,
  /** Exchanges that are kept of one run on request, and the days after which they are removed. */
  keptExchanges: 100_000,
  exchangeDays: 30,
  /** Answers that lack an optional field before the field counts as never present, and characters of an example of a finding. */
  absentAfter: 20,
  findingChars: 200,
  /** Characters that an HTML report shows of one value, and of all values of a report. */
  htmlValueChars: 20_000,
  htmlChars: 16_777_216,
  /** Writes in the report's table of the guarantee, and steps named that need attention. */
  htmlWrites: 500,
  htmlConcerns: 50,
  /** Pages of the web view: runs listed, records read for the names, durations and counts in the list, and steps of two runs compared. */
  viewRuns: 1_000,
  viewRecords: 200_000,
  viewSteps: 2_000,
  /** Drifts and schedules listed, entries in the history of one, and next firings shown. */
  viewDrifts: 1_000,
  viewSchedules: 200,
  viewHistory: 500,
  viewFirings: 5,
  /** Points of a line in a chart, and bars in a chart. */
  plotPoints: 200,
  /** Rows of each table of a comparison. */
  htmlRows: 200,
  /** Comparisons of one playbook. */
  comparisons: 100,
  /** Rows of one side of a comparison, and differing keys above which it reports that the two sides do not match at all. */
  compareRows: 10_000_000,
  drifts: 10_000,
  /** Characters of the rows that are held in memory until all reads that may have their keys have ended. Further rows go to a temporary file. */
  rowsHeldChars: 16_777_216,
  /** Drifts, cleared ones, and totals shown of one comparison in a report; `tokenbook drift list` has all of them. */
  driftsShown: 1_000,
  /** Totals that one comparison counts while it reads. */
  totalsKept: 10_000,
  /** Reads and rows of a comparison that its run keeps for the page of an auditor. */
  readsKept: 200,
  rowsKept: 200,
  /** Runs on that page, and runs among which they are searched for. */
  auditedRuns: 90,
  auditSearched: 5_000,
  /** Differing rows of one list that are read again one by one, and rows up to which the whole list is read again instead. */
  rowsReadAlone: 20,
  shortListRows: 100,
  /** Rows of a comparison's query that a database returns at a time, and their bytes. */
  queryRows: 2_000,
  queryBytes: 134_217_728,
  /** How often a difference is checked before a value that still changes is reported as moving. */
  looks: 4,
  /** The longest time for which a drift may be acknowledged, in days. */
  acknowledgedDays: 366,
  /** Rows of one side of one drift that are kept as evidence. */
  driftRows: 5,
  /** Records, and characters of their bodies, kept in memory before the journal writes them out. */
  journalBuffer: 1_000,
  journalBufferChars: 4_194_304,
  /** Runs of one archive, and records of an archive with more than one run, because one transaction removes them from the journal. */
  archiveRuns: 100,
  archiveRecords: 10_000,
  /** How long a database server may take: to connect, for one statement, for a lock, between two statements of a transaction; and how long all of it is waited for. */
  databaseConnectMs: 5_000,
  databaseStatementMs: 20_000,
  databaseLockMs: 8_000,
  databaseIdleMs: 5_000,
  databaseAnswerMs: 25_000,
  /** How long a run waits for an unreachable database server before it stops, and its pauses in between. */
  databaseAwayMs: 60_000,
  databaseAwayPauseMs: 250,
  databaseAwayPauseMostMs: 5_000,
  /** How often a process shows on a database server that it is alive, and after how long without a heartbeat other processes take over what it holds. */
  beatMs: 2_000,
  beatLapsedMs: 8_000,
  /** How long the answer to a heartbeat may take before another connection is used. */
  beatAnswerMs: 2_000,
  /** How far the two clocks of a machine may differ, in milliseconds, before a database server is asked for its time again. */
  clocksDifferMs: 1_000,
  /** How long a process continues to count from the time of a database server before it asks again, in milliseconds. */
  databaseTimeMs: 60_000,
  /** Connections of one process to the queue of submitted runs. */
  queueConnections: 4,
  /** Workers that may die with a job of the queue, or lose it, before the job is given up. */
  queueTries: 100,
  /** How long a job is kept while no worker takes it, in seconds. */
  queueWaitSeconds: 2_000_000_000,
  /** The longest pause between two deliveries, in seconds. */
  queuePauseSeconds: 60,
  /** Seconds without a heartbeat after which a job is given to another worker, the longest that a run may take, and how long its outcome is kept. */
  queueHeartbeatSeconds: 10,
  queueRunSeconds: 82_800,
  queueKeptSeconds: 604_800,
  /** How long a worker that must stop waits for its runs, in milliseconds. */
  workerDrainMs: 20_000,
  /** How long a process may stay after its command has ended, in milliseconds. */
  lingerMs: 5_000,
  /** How often `submit --wait` asks for the outcome, in milliseconds. */
  submittedPollMs: 500,
  /** Assistants: characters of one answer, bytes of one message, calls under way, and plans kept. */
  assistantChars: 100_000,
  assistantBytes: 1_048_576,
  assistantCalls: 16,
  assistantPlans: 200,
  /** Editors and assistants: bytes of the head of one message and of one message of an editor, and bytes of answers that wait until they are read. */
  editorHeadBytes: 4_096,
  editorBytes: 67_108_864,
  unreadBytes: 16_777_216,
  /** The debugger: variables in one answer, and characters of a value on its line. */
  debuggerVariables: 1_000,
  debuggerChars: 200,
} as const;
