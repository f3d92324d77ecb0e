/** The texts of each command, in the order of `--help`. */
export const COMMANDS = {
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
  convert: {
    group: "start",
    brief: "Convert playbooks, Arazzo documents and HTTP Archives.",
    summary: "Convert playbooks to Arazzo documents, Arazzo documents and HTTP Archives to playbooks. Reports what is lost.",
    examples: `Exits with 1 when something is lost, and with 2 when nothing could be written. Overwrites nothing.

Examples:
  $ tokenbook convert onboarding.yaml onboarding.arazzo.yaml --accept-loss
  $ tokenbook convert purchase.arazzo.yaml purchase.yaml
  $ tokenbook convert session.har session.yaml  what another client did`,
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
  calibrate: {
    group: "start",
    brief: "Find the profile of your service.",
    summary:
      "Find the profile of your service by calls to it, show the evidence for each setting, and propose the edit of tokenbook.yaml.",
    examples: `The profile holds the names, words and codes of your service. calibrate only reads, unless you add --may-write. It proposes only what the answers
show: a setting that they do not decide stays as it is. The report says what each finding means for the guarantee.

Examples:
  $ tokenbook calibrate --env staging                       what reads show, and the edit as a diff
  $ tokenbook calibrate --env staging --write               make the edit; comments stay
  $ tokenbook calibrate --env staging --may-write --json    find more by writing, with names of its own`,
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

Exits with 0 when the plan was made, 1 when something would surely fail, 2 when no plan could be made.`,
  },
  approve: {
    group: "run",
    brief: "Approve a plan for a protected environment.",
    summary: "Approve a plan, so that somebody else may run it in a protected environment.",
    examples: `An environment with \`protected: true\` takes writes only with a person's consent. \`run --plan\` needs an approval by somebody
who does not start the run. Each approval counts for one run. An approved plan is refused too when an answer has changed since.

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
  $ tokenbook run playbooks --shard 2/5 --fail-fast         a fifth of them, until one does not pass
  $ tokenbook run pay.yaml --each holders.csv               a run for each row; repeat the command to continue
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
    summary: "Prove that a playbook survives crashes: kill its run at every critical moment, resume it, and compare the ledgers.",
    examples: `Runs the playbook once, undisturbed, on its own sandbox. Then it repeats the run for every boundary: before and after each commit of the
journal, and right after each request was passed to the network. Each time a process runs the playbook on a new sandbox, is killed with SIGKILL
at the boundary, and \`resume\` continues the run. The test compares the ledger with the undisturbed one: the same writes in the same
order, the same balances, owners and vaults. A boundary is

  same         the resumed run passed, and the ledger is the same
  unknown      the resumed run stopped as unknown: no read shows whether a write took effect, so the run does not send it again; the
               table shows how often it had taken effect
  answer lost  the resumed run found that a write took effect, and failed: the playbook needs a part of its answer that no read shows
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
  explore: {
    group: "run",
    brief: "Look for bugs in the service itself.",
    summary: "Look for calls whose answers break the service description, and write a playbook for each.",
    examples: `explore makes sequences of calls to the ledger, under names of its own, with valid values and values at the edge of a rule. It makes the
same calls on a fresh sandbox inside tokenbook, which shows what each answer must be. When an answer differs, explore repeats the sequence,
shortens it, and writes it as a playbook. The playbook fails on this service, and passes on one that keeps the rule.

explore writes to the ledger, and spends nothing that is not its own. It removes what can be removed: assets, and operators for all tokens.
Tokens, vaults and requests stay. It refuses an environment that is \`protected: true\`.

Examples:
  $ tokenbook explore --env sandbox --seed 7 --sequences 50
  $ tokenbook explore --env staging --time 10m --output found
  $ tokenbook explore --env staging --json > explored.json

Exits with 0 when nothing was found, 1 when something was, 2 when it could not start.`,
  },
  runs: {
    group: "see",
    brief: "List, show, verify and archive runs.",
    summary: "List runs, the latest first, and the process that holds each. `runs show RUN` shows everything about one.",
    examples: `Examples:
  $ tokenbook runs
  $ tokenbook runs show latest
  $ tokenbook runs show 20261121T093000-k3x9q2ab --json
  $ tokenbook runs export 20261121T093000-k3x9q2ab > run.ndjson
  $ tokenbook runs verify                     whether the journal is whole
  $ tokenbook runs archive --older 90d --to archives
  $ tokenbook runs verify --archive archives  whether the archives are whole, and in order
  $ tokenbook runs --queued                   submitted runs that have not ended
  $ tokenbook runs withdraw order-17           take that run out of the queue
  $ tokenbook runs leases                     who acts, as whom, in which groups
  $ tokenbook runs release 20261121T093000-k3x9q2ab --because "the machine was switched off"
  $ tokenbook runs accept-loss --because "compared the ledger with last night's backup"`,
  },
  state: {
    group: "see",
    brief: "Move the state to a folder or database.",
    summary: "Move the state (runs, drifts, approvals and schedules) between a folder and a database.",
    examples: `FROM and TO are folders, or the word database for the one in tokenbook.yaml. TO must hold no runs. The records are verified on
both sides. FROM keeps its copy, and commands refuse it, so that nobody continues a run in two places. Stop workers and schedulers first.

Examples:
  $ tokenbook state move .tokenbook database
  $ tokenbook state move database .tokenbook`,
  },
  call: {
    group: "see",
    brief: "Ask the service one question directly.",
    summary: "Ask the service one question, and print its answer as JSON.",
    examples: `Only reads can be called. A write belongs in a playbook, whose run finds its outcome when an answer is lost: tokenbook new playbook FILE --uses OPERATION.
A list is read to its last page. stdout is the answer alone, with every digit; stderr shows who asked where.

Examples:
  $ tokenbook call ledger.token.list --as alice
  $ tokenbook call investor.sales.get tokenSaleId=saleActive1 --as BUYER_KEY
  $ tokenbook call ledger.token.get id=GOLD1 --env staging | jq .totalSupply

Exits with 0 when the service answers, 1 when it refuses or cannot be asked, 2 when the question is wrong.`,
  },
  report: {
    group: "see",
    brief: "Write reports of runs from the journal.",
    summary: "Write reports of runs from the journal: for people, CI systems, test dashboards and tracing.",
    examples: `Formats: html, md (Markdown), junit, ctrf, tap, json, ndjson (one event a line), github (annotations), otlp (traces), har (requests and answers).
\`run\` and \`resume\` write the same ones with --report.

Examples:
  $ tokenbook report latest --report html=report.html
  $ tokenbook report latest --format md
  $ tokenbook report 20261121T093000-k3x9q2ab 20261121T100400-p0a7d1xz --report html=both.html,junit=both.xml`,
  },
  drift: {
    group: "see",
    brief: "List, explain, acknowledge or close drifts.",
    summary: "List, explain, acknowledge or close drifts: differences that a playbook's `reconcile:` found.",
    examples: `A drift keeps its id from run to run: the id follows from the comparison, the key and the kind. An acknowledged drift is still reported, but does
not end a run with exit 3 until the day is over or its values change.

Examples:
  $ tokenbook drift list
  $ tokenbook drift list --all --json          also those that were cleared
  $ tokenbook drift show 3fa91c02bd47          the values of both sides, and its history
  $ tokenbook drift ack 3fa91c02bd47 --because "a refund is under way" --until 2026-12-01
  $ tokenbook drift close --playbook old-name.yaml --because "renamed"
  $ tokenbook drift page holders --out holders.html --sign signing-key    a page for auditors, and its signature`,
  },
  coverage: {
    group: "see",
    brief: "Show how much of the service is covered.",
    summary:
      "Show how much of the service your runs covered: operations, refusals, lost answers, parameters, fields, status codes.",
    examples: `Parameters, fields and status codes count in runs that kept their exchanges: run --keep-exchanges. A refusal that a plan of faults caused does
not count.

Examples:
  $ tokenbook coverage                        the runs of the last 30 days
  $ tokenbook coverage latest --verbose       what the last run did not cover
  $ tokenbook coverage --report html=coverage.html
  $ tokenbook coverage --since 1d --fail-under operations=100,refusals=80 --report junit=coverage.xml`,
  },
  contract: {
    group: "see",
    brief: "Compare the service with its contract.",
    summary: "Compare the answers of the service with its contract, and with what was found before.",
    examples: `\`contract drift\` finds new fields, other types, new words of a state, fields that are never there, and codes that are not listed. Each finding
has an id, an example, and the line to add to the profile or to the contract.

Examples:
  $ tokenbook contract drift --env staging       what runs with --keep-exchanges have seen
  $ tokenbook contract drift --har session.har   what somebody else recorded`,
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
    summary: "List the playbooks that come with tokenbook and that your steps can use, or show one with its inputs and outputs.",
    examples: `Examples:
  $ tokenbook library
  $ tokenbook library mint
  $ tokenbook library mint --text > my-mint.yaml
  in a playbook: uses: tokenbook/mint.yaml`,
  },
  schema: {
    group: "reference",
    brief: "Print the JSON Schema of a format.",
    summary:
      "Print a JSON Schema: of playbooks (for editors), environments, seeds and faults of the sandbox, reports, events, plans, notifications, or what other commands print as JSON.",
    examples: `Example: completion and hover in any editor with a YAML language server
  $ tokenbook schema > playbook.schema.json
  then begin the playbook with: # yaml-language-server: $schema=playbook.schema.json`,
  },
  completion: {
    group: "reference",
    brief: "Print the completion script for your shell.",
    summary: "Print the script that completes commands, options, environments, operations, runs, steps and files in your shell.",
    examples: `Examples: a line for the shell's own start-up file
  $ tokenbook completion bash > ~/.tokenbook.bash && echo '. ~/.tokenbook.bash' >> ~/.bashrc
  $ tokenbook completion zsh > ~/.tokenbook.zsh && echo '. ~/.tokenbook.zsh' >> ~/.zshrc       below compinit
  $ tokenbook completion fish > ~/.config/fish/completions/tokenbook.fish
  $ tokenbook completion powershell >> $PROFILE`,
  },
  submit: {
    group: "run",
    brief: "Put runs into the queue for workers.",
    summary: "Check playbooks, and put their runs into the queue of a database, where workers on any machine take them.",
    examples: `The state must be in a database: state: { postgres: env:TOKENBOOK_DATABASE } in tokenbook.yaml. Prints the id of each job.

Examples:
  $ tokenbook submit onboarding.yaml --input property=Loft12
  $ tokenbook submit onboarding.yaml --key ORDER-17 --wait   exits with the exit code of the run
  $ tokenbook submit nightly --label reports                 for workers that take this label`,
  },
  worker: {
    group: "serve",
    brief: "Run what was submitted, until you stop it.",
    summary: "Take submitted runs from the queue of a database, and run them, until you stop it.",
    examples: `Start as many workers as you like, on any machine. When one dies, another continues its runs: each write is sent at most once. When you stop a
worker, its runs have 20 seconds to end; other workers continue the rest.

Examples:
  $ tokenbook worker --jobs 8
  $ tokenbook worker --labels reports,default --listen 9464`,
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
    brief: "Serve a sandbox to try playbooks on.",
    summary: "Serve the sandbox: both interfaces of the service, over TCP, with its data in memory or in one SQLite file.",
    examples: `When it is ready, it prints a tokenbook.yaml and the keys for .env; --write-env writes both into this folder. Each new sandbox has new keys, unless --seed sets them. Stop it with Ctrl-C; with --db its data and its keys stay.

Examples:
  $ tokenbook sandbox --port 4010 --db sandbox.db
  $ tokenbook sandbox --write-env             writes the environment and its keys into this folder
  $ tokenbook sandbox --port 4010 --profile staging  use the profile of the environment staging
  $ set -a; . ./.env; set +a                  gives your shell the keys, for curl
  $ curl -H "X-API-KEY: $LEDGER_KEY" http://127.0.0.1:4010/_sandbox/commits     what really happened, in order`,
  },
  lsp: {
    group: "serve",
    brief: "Serve your editor as a language server.",
    summary: "Serve editors over stdio: completion in expressions, hover, definitions, renaming, and the findings of check.",
    examples: `Editors start it; docs/editors.md shows how to set up VS Code, Neovim and Helix.`,
  },
  debug: {
    group: "serve",
    brief: "Serve your editor as a debugger.",
    summary:
      "Debug one run over stdio (Debug Adapter Protocol): it stops before a step and after its answer, and shows the values.",
    examples: `Editors start it; docs/editors.md shows how. A run that is stopped is a run like any other: kill it, and tokenbook resume continues it.`,
  },
  mcp: {
    group: "serve",
    brief: "Serve an assistant as an MCP server.",
    summary:
      "Serve an assistant over stdio (Model Context Protocol): it can check, plan, and list runs and drifts; it runs plans where you allow it.",
    examples: `An assistant starts it. Without --allow-writes it can change nothing. docs/assistants.md shows how to set it up.`,
  },
} as const;
