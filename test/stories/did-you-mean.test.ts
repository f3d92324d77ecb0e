import { expect, test } from "vitest";
import { desk, DRIFTING, losingMint } from "./desk.ts";
import { type Ended, MINT_ONCE, newProject, runIn, type Variables } from "./world.ts";

const LOOK = `playbook: 1
tags: [smoke]
inputs: { region: { type: string, default: eu } }
steps: [{ uses: ledger.asset.stats, expect: ["inputs.region == \\"eu\\""] }]
`;
const ENVIRONMENTS = "environments:\n  staging: embedded\n  production: embedded\n";
const MISSPELT = MINT_ONCE.replace("as: issuer", "as: isuer");

const FILES = { "tokenbook.yaml": ENVIRONMENTS, "look.yaml": LOOK, "actor.yaml": MISSPELT, "mint.yaml": MINT_ONCE };

function tokenbook(words: readonly string[], variables: Variables = {}): Promise<Ended> {
  const project = newProject(variables);
  for (const [name, text] of Object.entries(FILES)) project.write(name, text);
  return project.run(...words);
}

test.for([
  ["a command", "rnu look.yaml", "did you mean run? To see all of them:\n  tokenbook --help"],
  ["a command of a command", "runs shwo x", "did you mean show? To see all of them:\n  tokenbook runs --help"],
  ["an option", "run look.yaml --jsn", "did you mean --json? To see all of them:\n  tokenbook run --help"],
  ["a file that begins as an option", "run -look.yaml", "needs ./ before it:\n  tokenbook run ./-look.yaml"],
  ["such a file without a command", "-look.yaml", "needs ./ before it:\n  tokenbook run ./-look.yaml"],
  ["an option that two names are near", "run look.yaml --wach", "did you mean --watch?"],
  ["the version", "-v", "next: tokenbook --version"],
  ["a playbook without a command", "mint.yaml", "next: tokenbook run mint.yaml"],
  ["an option with its value", "runs --limt=3", "did you mean --limit?"],
  ["a choice", "check look.yaml --format sarfi", "did you mean sarif?"],
  ["a verdict", "resolve x --step y --as aplied", "did you mean applied?"],
  ["a shell", "completion bsh", "did you mean bash?"],
  ["a report's format", "run look.yaml --report junt=a.xml", "Did you mean junit?"],
  ["a file", "run loko.yaml", 'did you mean "look.yaml"?'],
  ["a file of inputs", "run look.yaml --inputs loko.yaml", 'did you mean "look.yaml"?'],
  ["a tag", "run look.yaml --tags smok", 'did you mean "smoke"?'],
  ["an environment", "run look.yaml --env stagin", "next: --env staging"],
  ["the environment of a profile", "sandbox --profile prodution", "next: --profile production"],
  ["the environment of doctor", "doctor --env prodution", "next: --env production"],
  ["an input", "run look.yaml --input regoin=us", 'did you mean "region"?'],
  ["an operation", "operations ledger.token.mnit", "next: tokenbook operations ledger.token.mint"],
  ["an operation by a word of its name", "call mint", "next: tokenbook operations mint"],
  ["the operation of a new playbook", "new playbook a.yaml --uses ledger.tokn.mint", "ledger.token.mint"],
  ["a playbook of the library", "library mnit", "next: tokenbook library mint"],
  ["a schema", "schema plybook", "next: tokenbook schema playbook"],
  ["a diagnostic", "check --explain schema.unknown-feild", "next: tokenbook check --explain schema.unknown-field"],
  ["an actor", "check actor.yaml", "issuer"],
  ["a boundary", "test --crash-everywhere mint.yaml --at before:run.closd", "next: --at 'before:run.closed'"],
] as const)("an unknown word gets the one that was probably meant: %s", async ([, words, printed]) => {
  const ended = await tokenbook(words.split(" "));
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stdout + ended.stderr, ended.transcript).toContain(printed);
});

test.for([
  ["run look.yaml --verbose --quiet", "'--quiet' cannot be used with option '--verbose'"],
  ["run look.yaml --watch --each rows.csv", "'--watch' cannot be used with option '--each <file>'"],
  ["resolve latest --as applied", "'--as <verdict>' cannot be used without option '--step <address>'"],
  ["resolve latest --because seen", "'--because <text>' cannot be used without option '--step <address>'"],
  ["check actor.yaml --explain all", "'--explain <code>' cannot be used with argument 'files'"],
  ["check --explain all --tags smoke", "'--explain <code>' cannot be used with option '--tags <tags>'"],
  ["check look.yaml --json --format sarif", "'--json' cannot be used with option '--format <format>'"],
  ["coverage latest --env staging", "'--env <name>' cannot be used with argument 'runs'"],
  ["coverage latest --since 1d", "'--since <age>' cannot be used with argument 'runs'"],
  ["schedule look.yaml --once --listen 0", "'--listen <[host:]port>' cannot be used with option '--once'"],
  ["schedule list --env staging", "'--env <name>' cannot be used without argument 'files'"],
  ["calibrate --as userId:alice", "'--as <entity>' cannot be used without option '--may-write'"],
  ["library --text", "'--text' cannot be used without argument 'name'"],
  ["library mint --text --json", "'--json' cannot be used with option '--text'"],
] as const)("an option that would do nothing is refused: %s", async ([words, printed]) => {
  const ended = await tokenbook(words.split(" "));
  expect([ended.code, ended.stdout], ended.transcript).toEqual([2, ""]);
  expect(ended.stderr, ended.transcript).toContain(`option ${printed}`);
});

test.for([
  ["an empty argument is not this folder", ["run", ""], "one of the arguments 'files' is empty"],
  ["an empty state directory is not this folder", ["runs", "--state", ""], "the value of '--state' is empty"],
  ["an empty argument behind another one", ["state", "move", "database", ""], "one of the arguments 'to' is empty"],
  ["an empty value of an option of two words", ["mcp", "--allow-writes", ""], "the value of '--allow-writes' is empty"],
  ["an empty name of a run", ["resume", ""], "one of the arguments 'run' is empty"],
  ["a list of none", ["runs", "--limit", "0"], "It must be 1 or more."],
  ["more runs than anybody waits for", ["run", "look.yaml", "--repeat", "999999999"], "It must be 1000 or less."],
  ["more firings than anybody reads", ["schedule", "list", "look.yaml", "--next", "999999999"], "It must be 1000 or less."],
  ["no run at a time", ["run", "look.yaml", "--jobs", "0"], "It must be 1 or more."],
  ["rows that are not there", ["run", "look.yaml", "--each", "rows.csv"], 'there is no file or folder "rows.csv"'],
  ["a playbook on stdin", ["run", "-"], 'there is no file "-", and stdin is not read'],
  [
    "a tag where no playbook has one",
    ["run", "mint.yaml", "--tags", "x"],
    "next: leave out --tags, or write tags: [x] into a playbook",
  ],
  ["a move without a database", ["state", "move", ".tokenbook", "database"], "tokenbook.yaml names no database"],
  ["an option without its value", ["run", "look.yaml", "--env"], "the value of the option '--env <name>' is missing"],
  ["the code of another message", ["check", "--explain", "expect.failed"], "explained in docs/troubleshooting.md"],
  ["a list of no drifts", ["drift", "list", "--limit", "0"], "It must be 1 or more."],
  ["a port that is none", ["view", "--port", "99999"], "It must be a port: 0 to 65535."],
  ["an option of the command above", ["schedule", "list", "--report", "html=a.html"], "unknown option '--report'\n"],
  ["an option of the command above, before", ["runs", "--limit", "3", "show", "latest"], "next: tokenbook runs show --help"],
  ["--debug where there is none", ["check", "look.yaml", "--debug"], "unknown option '--debug'\n"],
] as const)("an unusable word is refused with the reason: %s", async ([, args, printed]) => {
  const ended = await tokenbook(args);
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toContain(printed);
});

test("a mistyped failpoint gets the nearest valid one", async () => {
  const ended = await tokenbook(["run", "look.yaml", "--state", "failpoint"], { TOKENBOOK_FAILPOINT: "before:run.opend" });
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr).toContain("next: TOKENBOOK_FAILPOINT='before:run.opened'");
});

test.for([["schema", "constructor"], ["schema", "__proto__"], ["toString"], ["constructor"]])(
  "a name of the runtime (%s %s) is no name of ours",
  async (words) => {
    const ended = await newProject().start(...words).ended;
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toMatch(/^error (?:schema\.unknown|usage\.unknown-command)$/m);
  },
);

test("a word that resembles no valid word gets no suggestion, but the list of valid words", async () => {
  const ended = await tokenbook(["wibblewobble"]);
  expect(ended.stderr).toContain("next: tokenbook --help");
});

test("a wrong id of a run, a wrong step and a wrong credential get the nearest valid one", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const { project } = at;
  const id = runIn(await losingMint(at));
  const wrong = `${id.slice(0, -1)}${id.endsWith("a") ? "b" : "a"}`;
  for (const command of [["resume"], ["runs", "show"], ["resolve"], ["runs", "export"], ["runs", "release", "--because", "so"]]) {
    const ended = await project.run(...command, wrong);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toContain(`did you mean ${id}? To see all of them:\n  tokenbook runs`);
  }
  const step = await project.run("resolve", id, "--step", "mnit", "--as", "applied", "--because", "seen");
  expect(step.stderr, step.transcript).toContain(`next: tokenbook resolve ${id} --step mint --as applied`);
  project.write(
    "sales.yaml",
    "playbook: 1\nactors: { b: { investor: BUYR_KEY } }\nsteps: [{ uses: investor.sales.list, as: b }]\n",
  );
  const sales = await project.run("run", "sales.yaml");
  expect(sales.stderr, sales.transcript).toContain('has no credential "BUYR_KEY" (did you mean "BUYER_KEY"?)');
  project.write("sales.yaml", project.read("sales.yaml").replace("BUYR_KEY", "INVESTOR"));
  const other = await project.run("run", "sales.yaml");
  expect(other.stderr, other.transcript).toContain('has no credential "INVESTOR" (it has BUYER_KEY, ');
});

test("a wrong id of a drift gets the nearest one, and completion offers the right one", async () => {
  const project = newProject({});
  project.write("drifting.yaml", DRIFTING);
  const ran = await project.run("run", "drifting.yaml");
  expect(ran.code, ran.transcript).toBe(3);
  const [offer = ""] = (await project.run("complete", "--", "tokenbook drift show ")).lines;
  const id = offer.split("\t")[0] ?? "";
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  const wrong = await project.run("drift", "show", `${id.slice(0, -1)}z`);
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr).toContain(`did you mean ${id}?`);
});

test.for([
  "run mint.yaml --input n=1 --input n=2",
  "run mint.yaml --inputs a.yaml --inputs b.yaml",
  "run mint.yaml --env one --env two",
  "run mint.yaml --tags a --tags b",
  "resolve x --step y --as applied --as absent",
])("an option that takes one value is refused when it is given twice: %s", async (command) => {
  const ended = await newProject().run(...command.split(" "));
  expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining("given twice")]);
});
