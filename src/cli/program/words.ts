/** Every text of the command line's help, in one place. */
export const WORDS = {
  root: {
    summary: "Runs YAML playbooks against your tokenization service: each write at most once, every outcome reported.",
    examples: `Begin here:
  $ tokenbook new project my-ledger           a folder with a playbook that runs
  $ tokenbook operations                      what your steps can call
  $ tokenbook library                         playbooks that your steps can use
  $ tokenbook check my-playbook.yaml          find every mistake before anything is sent
  $ tokenbook plan my-playbook.yaml           preview a run without writing
  $ tokenbook run my-playbook.yaml            run it on the first environment of its tokenbook.yaml, or on the embedded sandbox
  $ tokenbook resume                          continue the last run that did not pass

Exit codes: 0 passed · 1 failed · 2 could not start · 3 drift · 4 pending · 5 unknown · 6 locked · 70 bug · 130/143 interrupted`,
  },
  run: {
    files: "playbook files, or folders of them",
    shard: "run one of n equal parts of the playbooks, such as 2/5; each machine of a CI job takes another part",
    failFast: "start no further run after the first one that does not pass; runs under way end",
    each: "run the playbook once for each row of a CSV or NDJSON file, whose columns are the inputs; no row is run twice",
    failed: "with --each: only the rows with a run that did not pass, which are resumed",
    repeat: "run each playbook n times, one run after the other, and list the steps that pass in one run and fail in another",
    plan: "a plan of these playbooks; refuse to run when something in it has changed",
    key: "name the run, such as ORDER-17: a second run with the same key resumes or shows the first one",
    anyway: "begin although an earlier run left a write open, which could then happen twice; needs --because",
    because: "with --anyway: why this is safe; the journal keeps it with your name",
  },
  plan: { out: "write the plan to this file, for run --plan" },
  approve: {
    plan: "the file of a plan, from tokenbook plan --out",
    because: "why a run may do what the plan says; kept in the journal with your name",
  },
  yes: "consent to what is written in an environment that is `protected: true`; kept in the journal with your name",
  check: {
    format: "text for people, json, github (annotations of a workflow) or sarif (2.1.0)",
    json: "the same as --format json",
    explain: "print what a code means, an example and the fix; `all` lists the codes",
  },
  fmt: {
    files: "files, or folders of playbooks and a tokenbook.yaml; - for stdin",
    check: "change nothing; exit with 1 when a file would change",
    diff: "change nothing; show what would change, and exit with 1 when something would",
  },
  new: {
    project: "Write a project: environments, a first playbook that runs on the embedded sandbox, a README.",
    folder: "the folder; . for this one",
    playbook: "Write a playbook that calls operations in order, with example inputs, and passes its check.",
    file: "the playbook's file, such as playbooks/mint.yaml",
    uses: "an operation that it calls; repeatable",
  },
  resume: {
    run: "the run's id, a part of it, or `latest` (default: the last run that did not pass)",
    env: "the environment in which the run started (the default); any other is refused",
  },
  resolve: {
    run: "the run's id, a part of it, or `latest`",
    step: "the address of the step, as reports show it",
    as: "applied: it took effect; absent: it did not, and never will",
    because: "how you know",
  },
  runs: {
    shown: "the run's id, a part of it, or `latest`",
    show: "Show one run: every step, every attempt, every request and answer.",
    export: "Print every record of a run as a line of JSON, with its hash and the hash of the record before it.",
    verify: "Verify that nobody changed the records of a run, or of all runs. Exits with 1 when a record was changed.",
    verified: "the run's id, a part of it, or `latest`; default: all runs",
    verifiedArchives: "verify the archives in this folder instead, and that each follows from the one before it",
    archive: "Move finished runs from the journal into a file that anybody can verify offline. Open runs stay.",
    older: "archive only runs that ended longer ago than this, as in 90d",
    to: "the folder of the archives; it is made if it does not exist",
    leases: "List the leases: of runs, groups, and the entities that runs act as.",
    release: "Free a run whose process, on another machine, is gone. The journal keeps your reason with your name.",
    because: "how you know that the process is gone for good",
    "accept-loss":
      "Accept that the journal has lost records, after you looked at the ledger. Runs that had not passed can't be resumed. Your reason is kept with your name.",
    looked: "what you found in the ledger, and why it is safe to continue",
  },
  moving: {
    move: "Move the state into an empty folder or database, and verify the records on both sides.",
    from: "a state directory, or the word database",
    to: "an empty or new folder, or the word database",
  },
  view: { port: "the port to listen on; 0 takes any free port" },
  reporting: {
    runs: "the runs' ids, parts of them, or `latest`",
    format: "print one report on stdout, in this format",
  },
  drift: {
    list: "List the drifts that the last run of each comparison found.",
    all: "include those that were cleared since",
    show: "Explain one drift: the values of both sides, where and when they were read, and its history.",
    ack: "Acknowledge a drift with its present values until a day. Your reason is kept with your name.",
    close: "Close drifts that no run will clear, because their comparison is no longer made. One that is found again is new.",
    id: "the drift's id, or its beginning",
    ids: "the drifts' ids, or their beginnings",
    playbook: "all open drifts of this playbook, as `drift list` names it",
    over: "why they are over",
    because: "why you acknowledge it",
    until: "the last day, such as 2026-12-01 (UTC)",
  },
  test: {
    crashEverywhere: "kill the run at every boundary, one after the other",
    jobs: "how many runs are tested at the same time (default: one for each core)",
    at: "only this boundary, as the test prints it",
    keep: "keep the sandbox and the state directory of each run in this folder; for several playbooks in playbook-1, playbook-2 and so on",
  },
  fleet: {
    label: "the label of the workers that may take the runs",
    labels: "take only runs with these labels, as in a,b (default: default)",
    wait: "wait for the runs, and exit with the worst exit code",
  },
  schedule: {
    once: "run each playbook now, whatever its schedule, and exit with the worst exit code",
    report: "write a report, as `run` does; {run} in the name is replaced by the run's id",
    notify: "send only these notifications of tokenbook.yaml; repeatable",
    listen: "serve /metrics, /healthz and /readyz there; a port alone means 127.0.0.1",
    list: "List schedules: the next firing, the last outcome, who runs it, and missed firings.",
    next: "how many future firings to list",
    history: "List firings and their outcomes, the latest first.",
    which: "the schedule's id, or its playbook",
    release: "Free a schedule whose process, on another machine, is gone, or whose last run needs no attention any more.",
    because: "how you know",
  },
  operations: { name: "an operation, such as ledger.token.mint, or words to search for" },
  call: {
    values: "its input: parameters and fields of its body, as NAME=VALUE; a list or an object as JSON, an entity as userId:alice",
    as: "who asks: alice, userId:alice, or the name of a credential; the key itself when left out",
    pages: "read this many pages of a list and no more",
  },
  library: { name: "the playbook, such as mint or tokenbook/mint.yaml" },
  sandbox: {
    port: "the port to listen on; 0 takes any free port",
    db: "the SQLite file (default: memory, lost at the end)",
    delay: "how long the ledger takes to commit",
    seed: "a YAML or JSON file with the first content of the sandbox",
    faults: "a YAML or JSON file of faults, and when they occur",
    profile: "serve with the names, words and codes of this environment's profile in tokenbook.yaml",
    writeEnv: "write the environment into tokenbook.yaml and the keys into .env, in this folder; overwrites nothing",
  },
  completion: { shell: "the shell" },
  lsp: {
    stdio: "use stdin and stdout, which is the only transport",
    client: "the editor's process, which some editors pass; the server ends when stdin ends",
  },
  schema: { name: "playbook, environment, report, event, drift, plan, check, crash, doctor, schedule or notification" },
  input: "a value for an input, or the path of an input file; repeatable",
  inputs: "a JSON or YAML file with values for inputs",
  tags: "only playbooks with one of these tags; ! excludes a tag: smoke,!slow",
  jobs: "how many playbooks run at the same time",
  report:
    "write reports, such as html=FILE,junit=FILE: json, junit, html, ctrf, md, ndjson, tap, github, otlp; repeatable; - is stdout",
  env: "the environment in tokenbook.yaml (default: the first one; without a tokenbook.yaml: sandbox)",
  dotenv: "read variables that are not set from this file (default: .env beside tokenbook.yaml, or here)",
  noDotenv: "read no .env file",
  debug: "show each request as a curl command, and its answer, on stderr or in a file (--debug=FILE); keys are masked",
  state: "the folder that keeps the runs (default: .tokenbook beside tokenbook.yaml, or here)",
  json: "print JSON on stdout",
  limit: "how many to list",
  version: "print the version",
  help: "show the help of a command",
  verbose: "show complete ids and hashes, and every step of blocks and included playbooks",
  quiet: "show only the summary of each run",
  noColour: "disable colors (also NO_COLOR=1; FORCE_COLOR=1 forces them)",
} as const;
