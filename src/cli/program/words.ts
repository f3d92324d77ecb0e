import type { EXIT } from "../../base/exit.ts";

/** Every text of the command line's help, in one place. */
export const WORDS = {
  root: {
    summary: "Runs playbooks against a token investment and asset tokenization service: at most once, and never silently.",
    examples: `Begin here:
  $ tokenbook new project my-ledger           a folder with a playbook that runs
  $ tokenbook operations                      what can be called
  $ tokenbook library                         playbooks to use in yours
  $ tokenbook check my-playbook.yaml          find every mistake before anything is sent
  $ tokenbook plan my-playbook.yaml           tell what a run would do, and write nothing
  $ tokenbook run my-playbook.yaml            run it on the first environment of its tokenbook.yaml, or on the embedded sandbox
  $ tokenbook resume                          go on with the last run that did not pass

Exit codes: 0 passed · 1 failed · 2 could not start · 3 drift · 4 pending · 5 unknown · 6 locked · 70 bug · 130/143 interrupted`,
  },
  commands: {
    run: {
      summary: "Run playbooks: check them, send their steps, wait for receipts, report each outcome.",
      examples: `Examples:
  $ tokenbook run onboarding.yaml --input property=Loft12
  $ tokenbook run playbooks/scenarios --jobs 8 --report junit=report.xml,html=report.html
  $ tokenbook run playbooks --tags 'smoke,!slow'
  $ tokenbook run supply.yaml --env production --json
  $ tokenbook run onboarding.yaml --plan onboarding.plan    only if it still would do what the plan says
  $ tokenbook run onboarding.yaml --input property=Loft12 --key ORDER-17    once, however often it is repeated

A run does not begin (exit 6) while an earlier run has left a write open that it might make a second time. \`tokenbook resume\` continues that
run.

A playbook runs where the tokenbook.yaml beside it or above it says; without one, that of this folder or above it counts. Playbooks of two projects
need a command each. Without any such file an embedded sandbox serves, and keeps its data in the state directory. Where CI is set, it serves only
if you ask for it: --env sandbox. Of a folder, YAML files that are no playbooks are skipped, and so are parts of other playbooks whose inputs
are missing; a line on stderr names each.`,
    },
    plan: {
      summary: "Tell what runs would do, by reading alone: what would be created, what is so already, what cannot be known.",
      examples: `Nothing is written: reads are made, and in the place of each write stands what can be known of it. A playbook says with
\`ensure:\` what a write is for; where that is so already, the write is not sent.

Examples:
  $ tokenbook plan onboarding.yaml --input property=Loft12
  $ tokenbook plan onboarding.yaml --out onboarding.plan
  $ tokenbook run onboarding.yaml --plan onboarding.plan    refuses (exit 2) when an answer has changed since
  $ tokenbook plan playbooks --env production --json

Exit 0 when the plan was made, 1 when something would surely fail, 2 when no plan could be made.`,
    },
    check: {
      summary: "Check playbooks without any network: structure, names, types, order. Exit 2 when something is wrong.",
      examples: `Examples:
  $ tokenbook check playbooks/**/*.yaml
  $ tokenbook check playbooks --format github                annotations in GitHub Actions
  $ tokenbook check playbooks --format sarif > check.sarif   for code scanning
  $ tokenbook check --explain schema.unknown-field           what a code means and what mends it`,
    },
    fmt: {
      summary: "Format playbooks and tokenbook.yaml: indentation, order of keys, empty lines. Comments, numbers and quotes stay.",
      examples: `Prints the names of the files that it changed. A file that cannot be read as YAML is left as it is (exit 2).

Examples:
  $ tokenbook fmt playbooks
  $ tokenbook fmt --check .                   a line for CI: names what would change, exit 1
  $ tokenbook fmt --diff onboarding.yaml      shows what would change
  $ tokenbook fmt - < onboarding.yaml         for editors: from stdin to stdout`,
    },
    new: {
      summary: "Begin: a project to run at once, or a playbook for chosen operations. Overwrites nothing.",
      examples: `Examples:
  $ tokenbook new project my-ledger
  $ tokenbook new playbook playbooks/mint.yaml --uses ledger.token.create --uses ledger.token.mint`,
    },
    resume: {
      summary: "Go on with a run that stopped, waits for somebody, was interrupted, or whose process died.",
      examples: `Completed steps are never repeated, and a write whose effect is not known is never sent again. A part of a run's id is enough where no other id
has it.

Examples:
  $ tokenbook resume                          the last run that did not pass
  $ tokenbook resume 20261121T093000-k3x9q2ab`,
    },
    resolve: {
      summary: "Say what became of a write that nobody could see. Without --step, list the unknown writes of a run.",
      examples: `What you say is kept in the journal, with your name and your reason. Look at the ledger first: \`applied\` completes the
step, \`absent\` lets it be sent again, and a wrong \`absent\` is a second effect.

Examples:
  $ tokenbook resolve 20261121T093000-k3x9q2ab
  $ tokenbook resolve 20261121T093000-k3x9q2ab --step mint --as applied --because "tx 3f2a in the explorer"`,
    },
    runs: {
      summary: "List runs, the latest first, and by whom they are held; `runs show RUN` tells everything about one.",
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
    schedule: {
      summary: "Run playbooks when their schedule says, until it is stopped; with --once, run each now.",
      examples: `A playbook says when it is run: schedule: { cron: "15 2 * * *", timezone: Europe/Paris }. However many processes serve a schedule on
one state directory, each firing runs once. What becomes of it is kept there, told to the notifications of tokenbook.yaml, and logged:
a line of JSON each, or plain lines on a terminal. docs/scheduling.md tells all of it.

Examples:
  $ tokenbook schedule playbooks --env production --listen 9464
  $ tokenbook schedule --once supply.yaml        for cron, systemd, Kubernetes or CI: runs it now, exit code of the run
  $ tokenbook schedule list playbooks --next 5   when each fires next, in its own time and in UTC
  $ tokenbook schedule list                      how each one stands: last result, who runs it, what was missed
  $ tokenbook schedule history supply.yaml
  $ tokenbook schedule release supply.yaml --because "the machine was switched off"

SIGTERM lets a run in hand end, for 20 seconds, then stops it as Ctrl-C stops a run; a second signal ends at once.`,
    },
    report: {
      summary: "Write reports of runs from the journal: for people, CI systems, test dashboards and tracing.",
      examples: `Formats: html, md (Markdown), junit, ctrf, tap, json, ndjson (one event a line), github (annotations), otlp (traces).
\`run\` and \`resume\` write the same ones with --report.

Examples:
  $ tokenbook report latest --report html=report.html
  $ tokenbook report latest --format md
  $ tokenbook report 20261121T093000-k3x9q2ab 20261121T100400-p0a7d1xz --report html=both.html,junit=both.xml`,
    },
    drift: {
      summary: "Differences that reconciliations have found: list them, explain one, or bear with it for a while.",
      examples: `A drift keeps its id from run to run: the comparison, the key and the kind make it. Acknowledged, it is told and no longer ends a run with
exit 3, until the day is over or its values change.

Examples:
  $ tokenbook drift list
  $ tokenbook drift list --all --json          those that were cleared too
  $ tokenbook drift show 3fa91c02bd47          what both sides said, and its history
  $ tokenbook drift ack 3fa91c02bd47 --because "a refund is under way" --until 2026-12-01`,
    },
    view: {
      summary: "Show all runs in a browser, two side by side, and those that go on; the drifts, and the schedules.",
      examples: `Serves pages on this machine only (127.0.0.1) until Ctrl-C, to whoever has the address that it prints. It changes nothing.

Examples:
  $ tokenbook view
  $ tokenbook view --state /srv/ledger/.tokenbook --port 4020`,
    },
    test: {
      summary: "Prove a playbook: kill its run at every moment that matters, go on with it, and compare what is left.",
      examples: `Runs the playbook undisturbed on a sandbox of its own. Then, for every boundary of that run (before and after each commit of the
journal, and right after each request was handed to the network), a process of its own runs the playbook on a new sandbox and is
killed there with SIGKILL; \`resume\` goes on, and the ledger is compared with the undisturbed one: the same writes in the same
order, the same balances, owners and vaults. A boundary is

  same         the resumed run passed, and the ledger is the same
  unknown      the run stopped and said so: it looked, and cannot know whether a write took effect, so it does not send it again; the
               table tells in how many cases it had
  answer lost  the run found that a write took effect, and failed: the playbook wants of its answer what reading does not give
  DIFFERENT    a violation of what tokenbook promises; exit 1, with the command that does it again

Nothing outside of the sandbox is read or written: environments are not looked at, except for the profile that --profile names.

Examples:
  $ tokenbook test --crash-everywhere onboarding.yaml --input property=Loft12
  $ tokenbook test --crash-everywhere playbooks --tags smoke --json > crash.json
  $ tokenbook test --crash-everywhere transfer.yaml --seed seed.yaml     on a sandbox that holds what the playbook needs
  $ tokenbook test --crash-everywhere mint.yaml --at after:attempt.intended@mint --keep crashed
    then, for what the first one has left: tokenbook runs --state crashed/1

Exit 0 when nothing is DIFFERENT, 1 when something is, 2 when a playbook could not be tested: it must pass undisturbed.`,
    },
    doctor: {
      summary: "Tell whether runs can begin here, and what to mend: project, keys, state directory, service, profile.",
      examples: `It reads, and changes nothing: each interface is connected to, and asked for something harmless by each identity. Of a key it is
told whether it is there and whether the service takes it, never what it is.

Examples:
  $ tokenbook doctor
  $ tokenbook doctor --env staging --json
  $ tokenbook doctor --debug                  shows each request as a curl command

Exit 0 when runs can begin, 1 when something must be mended (✗); what is marked ! only wants to be looked at.`,
    },
    operations: {
      summary: "What can be called: all operations, or one with its input, what it yields, and how it can fail.",
      examples: `Examples:
  $ tokenbook operations
  $ tokenbook operations ledger.token.mint`,
    },
    call: {
      summary: "Ask the service one question, and print its answer as JSON.",
      examples: `Only reads can be called. A write belongs in a playbook, where a lost answer is found again: tokenbook new playbook FILE --uses OPERATION.
A list is read to its last page. stdout is the answer alone, with every digit; stderr says who asked where.

Examples:
  $ tokenbook call ledger.token.list --as alice
  $ tokenbook call investor.sales.get tokenSaleId=saleActive1 --as BUYER_KEY
  $ tokenbook call ledger.token.get id=GOLD1 --env staging | jq .totalSupply

Exit 0 when the service answers, 1 when it refuses or cannot be asked, 2 when the question is wrong.`,
    },
    library: {
      summary: "Playbooks that come with tokenbook, for steps to use: all of them, or one with its inputs and outputs.",
      examples: `Examples:
  $ tokenbook library
  $ tokenbook library mint
  in a playbook: uses: tokenbook/mint.yaml`,
    },
    sandbox: {
      summary: "Serve the sandbox: both interfaces of the service, over TCP, with its data in one SQLite file.",
      examples: `Prints the environment for tokenbook.yaml, and the keys for .env, when it is ready; each new sandbox has new keys, unless --seed gives them. Stop it with Ctrl-C; with --db its data and its keys stay.

Examples:
  $ tokenbook sandbox --port 4010 --db sandbox.db
  $ tokenbook sandbox --port 4010 --profile staging  speak as the profile of the environment staging says
  $ curl -H "X-API-KEY: $LEDGER_KEY" http://127.0.0.1:4010/_sandbox/commits     what really happened, in order`,
    },
    completion: {
      summary: "Print what a shell needs to complete commands, options, environments, operations, runs, steps and files.",
      examples: `Examples: a line for the shell's own start-up file
  $ tokenbook completion bash > ~/.tokenbook.bash && echo '. ~/.tokenbook.bash' >> ~/.bashrc
  $ tokenbook completion zsh > ~/.tokenbook.zsh && echo '. ~/.tokenbook.zsh' >> ~/.zshrc       below compinit
  $ tokenbook completion fish > ~/.config/fish/completions/tokenbook.fish
  $ tokenbook completion powershell >> $PROFILE`,
    },
    lsp: {
      summary: "Serve editors over stdio: completion in expressions, hover, definitions, renaming, and what check finds.",
      examples: `Editors start it; docs/editors.md tells how to set up VS Code, Neovim and Helix.`,
    },
    schema: {
      summary:
        "Print a JSON Schema: of playbooks (for editors), environments, reports, events, plans, notifications, or what other commands print as JSON.",
      examples: `Example: completion and hover in any editor with a YAML language server
  $ tokenbook schema > playbook.schema.json
  then begin the playbook with: # yaml-language-server: $schema=playbook.schema.json`,
    },
  },
  run: {
    files: "playbook files, or folders of them",
    plan: "a plan of these playbooks; refuse before anything is sent when something in it has changed",
    key: "name the run, as in ORDER-17: the same key never starts a second run; it resumes that one, or shows it",
    anyway: "begin although an earlier run left a write open, which could happen twice; needs --because",
    because: "with --anyway: how you know that it does no harm; kept in the journal with your name",
  },
  plan: { out: "write the plan to this file, for run --plan" },
  check: {
    format: "text for people, json, github (annotations of a workflow) or sarif (2.1.0)",
    json: "the same as --format json",
    explain: "print what a code means, an example and its cure; `all` lists the codes",
  },
  fmt: {
    files: "files, or folders whose playbooks and tokenbook.yaml are meant; - for stdin",
    check: "change nothing; exit 1 when a file would be",
    diff: "change nothing; show what would be, exit 1 when there is something",
  },
  new: {
    project: "Write a project: environments, a first playbook that runs on the embedded sandbox, a README.",
    folder: "the folder; . for this one",
    playbook: "Write a playbook that calls operations in order, with example inputs, and passes its check.",
    file: "the playbook's file, such as playbooks/mint.yaml",
    uses: "an operation that it calls; repeat it for several",
  },
  resume: {
    run: "the run's id, a part of it, or `latest`; the last run that did not pass when left out",
    env: "the environment in which the run began, which is used when left out; any other is refused",
  },
  resolve: {
    run: "the run's id, a part of it, or `latest`",
    step: "the address of the step, as reports have it",
    as: "applied: it took effect; absent: it did not, and never will",
    because: "how you know",
  },
  runs: {
    shown: "the run's id, a part of it, or `latest`",
    show: "Show one run: every step, every attempt, what was sent and answered.",
    export: "Print every record of a run as a line of JSON, with its hash and that of the one before it.",
    verify: "Look whether the records of a run, or of all runs, are those that were written. Exit 1 when some are not.",
    verified: "the run's id, a part of it, or `latest`; all runs when left out",
    leases: "List what is held: runs, groups, and the entities that runs act as.",
    release: "Free a run whose process, on another machine, is gone. What you say is kept in its journal, with your name.",
    because: "how you know that the process is gone for good",
    "accept-loss":
      "Accept that the journal has lost records, after looking into the ledger. Runs that had not passed can't be resumed. What you say is kept, with your name.",
    looked: "what you found in the ledger, and why it is safe to go on",
  },
  view: { port: "the port to listen on; 0 takes any free one" },
  reporting: {
    runs: "the runs' ids, parts of them, or `latest`",
    format: "print one report on stdout, in this format",
  },
  drift: {
    list: "List the drifts as the last run of each comparison has left them.",
    all: "those too that were cleared since",
    show: "Explain one drift: what both sides said, where and when it was read, and its history.",
    ack: "Bear with a drift as it is now, until a day. What you say is kept with your name.",
    id: "the drift's id, or its beginning",
    because: "why it is borne with",
    until: "the last day, as 2026-12-01 (UTC)",
  },
  test: {
    crashEverywhere: "kill the run at every boundary, one after the other",
    jobs: "how many runs are killed at the same time (default: one for each core)",
    at: "only this boundary, as the test names it",
    keep: "keep the sandbox and the state directory of each run in this folder; of several playbooks in playbook-1, playbook-2 and so on",
  },
  schedule: {
    once: "run each playbook now, whatever its schedule, and end with the exit code of the worst",
    report: "write a report, as `run` does; {run} in the name stands for the run's id",
    notify: "tell only these of the notifications in tokenbook.yaml; repeat it for several",
    listen: "serve /metrics, /healthz and /readyz there; a port alone is of 127.0.0.1",
    list: "List schedules: when each fires next, how its last run ended, who runs it, what was missed.",
    next: "how many firings to come are listed",
    history: "List what firings became, the latest first.",
    which: "the schedule's id, or its playbook",
    release: "Free a schedule whose process, on another machine, is gone, or whose last run needs nobody any more.",
    because: "how you know",
  },
  operations: { name: "the operation, such as ledger.token.mint" },
  call: {
    values: "its input: parameters and fields of its body, as NAME=VALUE; a list or an object as JSON, an entity as userId:alice",
    as: "who asks: alice, userId:alice, or the name of a credential; the key itself when left out",
    pages: "read this many pages of a list and no more",
  },
  library: { name: "the playbook, such as mint or tokenbook/mint.yaml" },
  sandbox: {
    port: "the port to listen on; 0 takes any free one",
    db: "the SQLite file; left out, everything is forgotten at the end",
    delay: "how long the ledger takes to commit",
    seed: "a YAML or JSON file with what the sandbox holds at first",
    faults: "a YAML or JSON file with what goes wrong, and when",
    profile: "serve with the names, words and codes of this environment's profile in tokenbook.yaml",
  },
  completion: { shell: "the shell" },
  lsp: {
    stdio: "speak over stdin and stdout, which is the only way",
    client: "the editor's process, which some editors tell; the end of stdin is what ends the server",
  },
  schema: { name: "playbook, environment, report, event, drift, plan, check, crash, doctor, schedule or notification" },
  input: "a value for an input, or the path of an input file; repeat it for several",
  inputs: "a JSON or YAML file with values for inputs",
  tags: "only playbooks with one of these tags, and without those behind a !: smoke,!slow",
  jobs: "how many playbooks run at the same time",
  report:
    "write reports, as in html=FILE,junit=FILE: json, junit, html, ctrf, md, ndjson, tap, github, otlp; repeatable; - is stdout",
  env: "the environment in tokenbook.yaml; the first one when left out (without such a file: sandbox)",
  dotenv: "take variables that are not set from this file (default: .env beside tokenbook.yaml, or here)",
  noDotenv: "take variables from the process alone",
  debug: "show each request as a curl command, and its answer, on stderr or in a file (--debug=FILE); keys are masked",
  state: "where runs are remembered (default: .tokenbook beside tokenbook.yaml, or here)",
  json: "print JSON on stdout",
  limit: "how many to list",
  version: "print the version",
  noColour: "no colours, as with NO_COLOR; FORCE_COLOR has them where there is no terminal too",
} as const;

/** What each exit code means, and what to do then. */
export const EXITS: Readonly<Record<keyof typeof EXIT, { readonly means: string; readonly next: string }>> = {
  passed: { means: "All went as it was to.", next: "Nothing." },
  failed: {
    means:
      "A step failed, or an expectation did not hold. `plan`: something would surely fail. `fmt --check`: something would change. `test`: a violation. `runs verify`: a record is not as it was written. `doctor`: something must be mended.",
    next: "Read what the step says, mend it, then `tokenbook resume`.",
  },
  cannotStart: {
    means:
      "Nothing was started: usage, a static check, the environment. Or the journal or stdout can no longer be written; then the message says so.",
    next: "Follow `next:` of the message; `tokenbook doctor` looks at the environment.",
  },
  drift: {
    means: "Two sides that were compared differ, in a way that nobody has acknowledged.",
    next: "`tokenbook drift list`, then mend one side or `tokenbook drift ack`.",
  },
  pending: {
    means: "A step waits for a person or for the service.",
    next: "`tokenbook resume`, once what it waits for has happened.",
  },
  unknown: {
    means: "The effect of a write is not known, or what is there contradicts it.",
    next: "`tokenbook resume` looks again; `tokenbook resolve RUN` takes a person's word.",
  },
  locked: {
    means:
      "Another process holds the run, its group, or an entity that it writes as. Or an earlier run left a write open that this one might make a second time.",
    next: "Wait for it; `tokenbook runs leases` lists who it is. For an open write, `tokenbook resume` the run that left it.",
  },
  bug: { means: "A bug in tokenbook.", next: "Report it with what was printed; what the journal holds is enough to resume." },
  interrupted: { means: "Interrupted by SIGINT (Ctrl-C).", next: "`tokenbook resume`." },
  terminated: { means: "Interrupted by SIGTERM.", next: "`tokenbook resume`." },
};
