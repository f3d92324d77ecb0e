/** The groups of commands in `--help`, in their order. */
export const GROUPS = { start: "Start:", run: "Run:", see: "See:", reference: "Reference:", serve: "Serve:" } as const;

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
  commands: {
    new: {
      group: "start",
      brief: "Create a project or a playbook.",
      summary: "Create a project that runs at once, or a playbook for operations that you choose. Overwrites nothing.",
      examples: `Examples:
  $ tokenbook new project my-ledger
  $ tokenbook new playbook playbooks/mint.yaml --uses ledger.token.create --uses ledger.token.mint`,
    },
    check: {
      group: "start",
      brief: "Find mistakes without a network.",
      summary: "Check playbooks without a network: structure, names, types, order. Exits with 2 when it finds a mistake.",
      examples: `Examples:
  $ tokenbook check playbooks/**/*.yaml
  $ tokenbook check playbooks --format github                annotations in GitHub Actions
  $ tokenbook check playbooks --format sarif > check.sarif   for code scanning
  $ tokenbook check --explain schema.unknown-field           what a code means, and the fix`,
    },
    fmt: {
      group: "start",
      brief: "Format playbooks and the tokenbook.yaml file.",
      summary: "Format playbooks and tokenbook.yaml: indentation, order of keys, empty lines. Comments, numbers and quotes stay.",
      examples: `Prints the names of the files that it changed. A file that cannot be read as YAML is left as it is (exit 2).

Examples:
  $ tokenbook fmt playbooks
  $ tokenbook fmt --check .                   a line for CI: names what would change, exit 1
  $ tokenbook fmt --diff onboarding.yaml      shows what would change
  $ tokenbook fmt - < onboarding.yaml         for editors: from stdin to stdout`,
    },
    doctor: {
      group: "start",
      brief: "Check that everything is ready to run.",
      summary:
        "Check that runs can begin here: project, keys, state directory, service, profile. Shows how to fix what is not ready.",
      examples: `doctor changes nothing. It connects to each interface, and makes one harmless read as each identity. It shows whether each key is set and
whether the service accepts it, never the key itself.

Examples:
  $ tokenbook doctor
  $ tokenbook doctor --env staging --json
  $ tokenbook doctor --debug                  shows each request as a curl command

Exits with 0 when runs can begin, and 1 when you must fix something (✗). Look at what is marked with !.`,
    },
    plan: {
      group: "run",
      brief: "Preview a run without writing anything.",
      summary: "Preview a run without writing: what would be created, what is already done, what can't be predicted.",
      examples: `\`plan\` makes the reads of the run and predicts its writes. A step with \`ensure:\` does not write when its goal is already met; the plan shows
that as already done.

Examples:
  $ tokenbook plan onboarding.yaml --input property=Loft12
  $ tokenbook plan onboarding.yaml --out onboarding.plan
  $ tokenbook run onboarding.yaml --plan onboarding.plan    refuses (exit 2) when an answer has changed since
  $ tokenbook plan playbooks --env production --json

Exit 0 when the plan was made, 1 when something would surely fail, 2 when no plan could be made.`,
    },
    approve: {
      group: "run",
      brief: "Approve a plan for a protected environment.",
      summary: "Approve a plan, so that somebody else may run it in a protected environment.",
      examples: `An environment with \`protected: true\` takes writes only with a person's consent. \`run --plan\` needs the approval of somebody
other than the one who starts the run. A plan that no longer holds is refused, approved or not.

Examples:
  $ tokenbook approve onboarding.plan --because "reviewed with the board"
    before it: tokenbook plan onboarding.yaml --out onboarding.plan
    after it:  tokenbook run onboarding.yaml --plan onboarding.plan`,
    },
    run: {
      group: "run",
      brief: "Run playbooks and report each step.",
      summary: "Run playbooks: check them, send their steps, wait for receipts, and report what happened to each step.",
      examples: `Examples:
  $ tokenbook run onboarding.yaml --input property=Loft12
  $ tokenbook run playbooks/scenarios --jobs 8 --report junit=report.xml,html=report.html
  $ tokenbook run playbooks --tags 'smoke,!slow'
  $ tokenbook run supply.yaml --env production --json
  $ tokenbook run onboarding.yaml --plan onboarding.plan    refuses when the plan is out of date
  $ tokenbook run onboarding.yaml --input property=Loft12 --key ORDER-17    once, however often you repeat the command

A run does not begin (exit 6) while an earlier run has left a write open that it might make a second time. \`tokenbook resume\` continues that
run.

The environment comes from the tokenbook.yaml beside the playbook or in a folder above it, or else from this folder or one above it. Playbooks
of two projects need a command each. Without a tokenbook.yaml, the playbook runs on an embedded sandbox, which keeps its data in the state
directory; where CI is set, only with --env sandbox. In a folder, tokenbook skips YAML files that are not playbooks, and parts of other playbooks
whose inputs are missing. A line on stderr names each.`,
    },
    resume: {
      group: "run",
      brief: "Continue a run that did not finish.",
      summary: "Continue a run that stopped, is waiting for approval, was interrupted, or whose process died.",
      examples: `\`resume\` never repeats a completed step, and never repeats a write with unknown outcome. A part of a run's id is enough when it is unique.

Examples:
  $ tokenbook resume                          the last run that did not pass
  $ tokenbook resume 20261121T093000-k3x9q2ab`,
    },
    resolve: {
      group: "run",
      brief: "Record the outcome of an unknown write.",
      summary: "Record the outcome of a write whose answer was lost. Without --step, list the unknown writes of a run.",
      examples: `The journal keeps the outcome with your name and your reason. Look at the ledger first: \`applied\` completes the step, and \`absent\` allows it to
be sent again. A wrong \`absent\` causes a second effect.

Examples:
  $ tokenbook resolve 20261121T093000-k3x9q2ab
  $ tokenbook resolve 20261121T093000-k3x9q2ab --step mint --as applied --because "tx 3f2a in the explorer"`,
    },
    test: {
      group: "run",
      brief: "Prove that a playbook survives crashes.",
      summary: "Prove a playbook: kill its run at every critical moment, resume it, and compare the ledgers.",
      examples: `Runs the playbook once, undisturbed, on its own sandbox. Then it repeats the run for every boundary: before and after each commit of the
journal, and right after each request was passed to the network. Each time a process runs the playbook on a new sandbox, is killed with SIGKILL
at the boundary, and \`resume\` continues the run. The test compares the ledger with the undisturbed one: the same writes in the same
order, the same balances, owners and vaults. A boundary is

  same         the resumed run passed, and the ledger is the same
  unknown      the run stopped and reported it: reading cannot show whether a write took effect, so the run does not send it again; the
               table shows in how many cases it had
  answer lost  the run found that a write took effect, and failed: the playbook needs a part of its answer that reading does not show
  DIFFERENT    a violation of what tokenbook promises; exit 1, with the command that reproduces it

The test reads and writes nothing outside the sandbox, and uses no environment except for the profile that --profile names.

Examples:
  $ tokenbook test --crash-everywhere onboarding.yaml --input property=Loft12
  $ tokenbook test --crash-everywhere playbooks --tags smoke --json > crash.json
  $ tokenbook test --crash-everywhere transfer.yaml --seed seed.yaml     on a sandbox that holds what the playbook needs
  $ tokenbook test --crash-everywhere mint.yaml --at after:attempt.intended@mint --keep crashed
    then, to see what the first one left: tokenbook runs --state crashed/1

Exits with 0 when nothing is DIFFERENT, 1 when something is, 2 when a playbook did not pass undisturbed.`,
    },
    runs: {
      group: "see",
      brief: "List, show, export and verify runs.",
      summary: "List runs, the latest first, and the process that holds each. `runs show RUN` shows everything about one.",
      examples: `Examples:
  $ tokenbook runs
  $ tokenbook runs show latest
  $ tokenbook runs show 20261121T093000-k3x9q2ab --json
  $ tokenbook runs export 20261121T093000-k3x9q2ab > run.ndjson
  $ tokenbook runs verify                     whether the journal is whole
  $ tokenbook runs leases                     who acts, as whom, in which groups
  $ tokenbook runs release 20261121T093000-k3x9q2ab --because "the machine was switched off"
  $ tokenbook runs accept-loss --because "compared the ledger with last night's backup"`,
    },
    call: {
      group: "see",
      brief: "Ask the service one question directly.",
      summary: "Ask the service one question, and print its answer as JSON.",
      examples: `Only reads can be called. A write belongs in a playbook, where a lost answer is found again: tokenbook new playbook FILE --uses OPERATION.
A list is read to its last page. stdout is the answer alone, with every digit; stderr shows who asked where.

Examples:
  $ tokenbook call ledger.token.list --as alice
  $ tokenbook call investor.sales.get tokenSaleId=saleActive1 --as BUYER_KEY
  $ tokenbook call ledger.token.get id=GOLD1 --env staging | jq .totalSupply

Exit 0 when the service answers, 1 when it refuses or cannot be asked, 2 when the question is wrong.`,
    },
    report: {
      group: "see",
      brief: "Write reports of runs from the journal.",
      summary: "Write reports of runs from the journal: for people, CI systems, test dashboards and tracing.",
      examples: `Formats: html, md (Markdown), junit, ctrf, tap, json, ndjson (one event a line), github (annotations), otlp (traces).
\`run\` and \`resume\` write the same ones with --report.

Examples:
  $ tokenbook report latest --report html=report.html
  $ tokenbook report latest --format md
  $ tokenbook report 20261121T093000-k3x9q2ab 20261121T100400-p0a7d1xz --report html=both.html,junit=both.xml`,
    },
    drift: {
      group: "see",
      brief: "List, explain or acknowledge found differences.",
      summary: "List, explain or acknowledge the differences that reconciliations found.",
      examples: `A drift keeps its id from run to run: the id follows from the comparison, the key and the kind. An acknowledged drift is still reported, but does
not end a run with exit 3 until the day is over or its values change.

Examples:
  $ tokenbook drift list
  $ tokenbook drift list --all --json          also those that were cleared
  $ tokenbook drift show 3fa91c02bd47          the values of both sides, and its history
  $ tokenbook drift ack 3fa91c02bd47 --because "a refund is under way" --until 2026-12-01`,
    },
    view: {
      group: "see",
      brief: "Show runs and drifts in a browser.",
      summary: "Show all runs in a browser, also side by side and while they run, with the drifts and the schedules.",
      examples: `Serves pages on this machine only (127.0.0.1) until Ctrl-C. Only the printed address opens them. It changes nothing.

Examples:
  $ tokenbook view
  $ tokenbook view --state /srv/ledger/.tokenbook --port 4020`,
    },
    operations: {
      group: "reference",
      brief: "List, search and explain the operations.",
      summary: "List the operations of the service, search them, or show one with its input, its results and its failures.",
      examples: `Examples:
  $ tokenbook operations
  $ tokenbook operations mint                 every operation with this word
  $ tokenbook operations ledger.token.mint    one, with its input and its failures`,
    },
    library: {
      group: "reference",
      brief: "List playbooks that come with tokenbook.",
      summary:
        "List the playbooks that come with tokenbook and that your steps can use, or show one with its inputs and outputs.",
      examples: `Examples:
  $ tokenbook library
  $ tokenbook library mint
  in a playbook: uses: tokenbook/mint.yaml`,
    },
    schema: {
      group: "reference",
      brief: "Print the JSON Schema of a format.",
      summary:
        "Print a JSON Schema: of playbooks (for editors), environments, reports, events, plans, notifications, or what other commands print as JSON.",
      examples: `Example: completion and hover in any editor with a YAML language server
  $ tokenbook schema > playbook.schema.json
  then begin the playbook with: # yaml-language-server: $schema=playbook.schema.json`,
    },
    completion: {
      group: "reference",
      brief: "Print the completion script for your shell.",
      summary:
        "Print the script that completes commands, options, environments, operations, runs, steps and files in your shell.",
      examples: `Examples: a line for the shell's own start-up file
  $ tokenbook completion bash > ~/.tokenbook.bash && echo '. ~/.tokenbook.bash' >> ~/.bashrc
  $ tokenbook completion zsh > ~/.tokenbook.zsh && echo '. ~/.tokenbook.zsh' >> ~/.zshrc       below compinit
  $ tokenbook completion fish > ~/.config/fish/completions/tokenbook.fish
  $ tokenbook completion powershell >> $PROFILE`,
    },
    schedule: {
      group: "serve",
      brief: "Run playbooks when their schedule is due.",
      summary: "Run playbooks when their schedule is due, until you stop it. With --once, run each one now.",
      examples: `A playbook has its schedule in it: schedule: { cron: "15 2 * * *", timezone: Europe/Paris }. Each firing runs once, however many
processes serve the same state directory. The outcome is kept there, sent to the notifications of tokenbook.yaml, and logged: as a line of JSON,
or as plain text on a terminal. See docs/scheduling.md.

Examples:
  $ tokenbook schedule playbooks --env production --listen 9464
  $ tokenbook schedule --once supply.yaml        for cron, systemd, Kubernetes or CI: runs it now, exit code of the run
  $ tokenbook schedule list playbooks --next 5   when each fires next, in its own time and in UTC
  $ tokenbook schedule list                      last result, who runs it, missed firings
  $ tokenbook schedule history supply.yaml
  $ tokenbook schedule release supply.yaml --because "the machine was switched off"

After SIGTERM, a run has 20 seconds to end; then it is stopped as by Ctrl-C. A second signal ends everything at once.`,
    },
    sandbox: {
      group: "serve",
      brief: "Serve a service to try things on.",
      summary: "Serve the sandbox: both interfaces of the service, over TCP, with its data in one SQLite file.",
      examples: `When it is ready, it prints a tokenbook.yaml and the keys for .env; --write-env writes both into this folder. Each new sandbox has new keys, unless --seed sets them. Stop it with Ctrl-C; with --db its data and its keys stay.

Examples:
  $ tokenbook sandbox --port 4010 --db sandbox.db
  $ tokenbook sandbox --write-env             writes the environment and its keys into this folder
  $ tokenbook sandbox --port 4010 --profile staging  use the profile of the environment staging
  $ curl -H "X-API-KEY: $LEDGER_KEY" http://127.0.0.1:4010/_sandbox/commits     what really happened, in order`,
    },
    lsp: {
      group: "serve",
      brief: "Serve your editor over stdio.",
      summary: "Serve editors over stdio: completion in expressions, hover, definitions, renaming, and the findings of check.",
      examples: `Editors start it; docs/editors.md shows how to set up VS Code, Neovim and Helix.`,
    },
  },
  run: {
    files: "playbook files, or folders of them",
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
    leases: "List the leases: of runs, groups, and the entities that runs act as.",
    release: "Free a run whose process, on another machine, is gone. The journal keeps your reason with your name.",
    because: "how you know that the process is gone for good",
    "accept-loss":
      "Accept that the journal has lost records, after you looked at the ledger. Runs that had not passed can't be resumed. Your reason is kept with your name.",
    looked: "what you found in the ledger, and why it is safe to continue",
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
    id: "the drift's id, or its beginning",
    because: "why you acknowledge it",
    until: "the last day, such as 2026-12-01 (UTC)",
  },
  test: {
    crashEverywhere: "kill the run at every boundary, one after the other",
    jobs: "how many runs are tested at the same time (default: one for each core)",
    at: "only this boundary, as the test prints it",
    keep: "keep the sandbox and the state directory of each run in this folder; for several playbooks in playbook-1, playbook-2 and so on",
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
