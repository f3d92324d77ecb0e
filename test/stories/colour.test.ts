import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { launch, MINT_ONCE, newProject, type Project, type Variables, onTerminalOf } from "./world.ts";

// Everything that each command prints for people and that is the same each time.
const COMMANDS: readonly (readonly string[])[] = [
  ["--help"],
  ["run", "--help"],
  ["run", "look.yaml"],
  ["run", "look.yaml", "mint.yaml"],
  ["plan", "mint.yaml"],
  ["check", "look.yaml", "broken.yaml"],
  ["check", "--explain", "schema.unknown-field"],
  ["fmt", "--diff", "look.yaml"],
  ["resume"],
  ["resolve", "none"],
  ["runs"],
  ["runs", "verify"],
  ["doctor"],
  ["operations", "ledger.token.mint"],
  ["library", "mint"],
  ["schema", "check"],
  ["completion", "bash"],
  ["rnu"],
];

const ESCAPE = "\u001b";
const LOOK = "playbook: 1\nsteps: [{ uses: ledger.asset.stats, expect: [response.totalCount == 0] }]\n";

function project(): Project {
  const made = newProject({});
  // In CI, a command uses the embedded sandbox only on request.
  made.write("tokenbook.yaml", "environments: { sandbox: embedded }\n");
  made.write("look.yaml", LOOK);
  made.write("mint.yaml", MINT_ONCE);
  made.write("broken.yaml", "playbook: 1\nsteps: [{ uses: ledger.asset.stast }]\n");
  return made;
}

/** Runs a command on a terminal, and returns everything that the terminal received. */
async function onTerminal({ folder }: Project, columns: number, variables: Variables, ...args: string[]): Promise<string> {
  const running = launch(["-qec", onTerminalOf(columns, args), "/dev/null"], {
    cwd: folder,
    program: "script",
    variables: { TERM: "xterm", ...variables },
  });
  return (await running.ended).stdout;
}

describe.for(COMMANDS)("%s", (args) => {
  test("the command prints colours with FORCE_COLOR, and none in a pipe, with NO_COLOR or with --no-color", async () => {
    const here = project();
    const plain = await here.run(...args);
    expect(plain.stdout + plain.stderr).not.toContain(ESCAPE);
    for (const [variables, more] of [
      [{ NO_COLOR: "1", FORCE_COLOR: "1" }, []],
      [{ FORCE_COLOR: "1" }, ["--no-color"]],
      [{ FORCE_COLOR: "0" }, []],
      [{ CI: "true", TERM: "dumb" }, []],
    ] as const) {
      const ended = await here.as(variables).run(...args, ...more);
      expect(ended.stdout + ended.stderr, ended.transcript).not.toContain(ESCAPE);
      expect(ended.code, ended.transcript).toBe(plain.code);
    }
    const forced = await here.as({ FORCE_COLOR: "1" }).run(...args);
    expect(forced.code).toBe(plain.code);
    expect(withoutChance(stripVTControlCharacters(forced.stdout))).toBe(withoutChance(plain.stdout));
  });
});

// Replaces ids, times, ports and facts about the disk.
function withoutChance(text: string): string {
  return text
    .replaceAll(/^.*(?:terminal|MB free|connected in|answered HTTP|journal).*\n/gm, "")
    .replaceAll(/\d{8}T\d{6}-\w+|\b[0-9a-f]{64}\b|\b[0-9a-f]{8}…|token\w{12,}|\d[\d:.T-]*(?: ?ms| s|Z)/g, "…");
}

test("FORCE_COLOR colours the marks without a terminal", async () => {
  const ended = await project().as({ FORCE_COLOR: "1" }).run("run", "look.yaml");
  expect(ended.stdout).toMatch(/^\u001b\[32m✓\u001b\[39m ok {6} /m); // oxlint-disable-line no-control-regex -- colours are the point
});

test("a terminal gets colours unless they are disabled, and no drawing if it or CI cannot show it", async () => {
  const here = project();
  const usual = await onTerminal(here, 80, {}, "run", "look.yaml");
  expect(usual).toContain(`${ESCAPE}[32m✓`);
  expect(usual).toContain(`${ESCAPE}[?25l`);
  const colourless = await onTerminal(here, 80, { NO_COLOR: "1" }, "run", "look.yaml");
  expect(colourless).not.toMatch(/\u001b\[\d+m/); // oxlint-disable-line no-control-regex -- colours are the point
  expect(colourless).toContain(`${ESCAPE}[?25l`);
  for (const variables of [{ TERM: "dumb" }, { CI: "true", NO_COLOR: "1" }]) {
    expect(await onTerminal(here, 80, variables, "run", "look.yaml")).not.toContain(ESCAPE);
  }
  expect(await onTerminal(here, 39, { NO_COLOR: "1" }, "run", "look.yaml"), "too narrow").not.toContain(ESCAPE);
});
