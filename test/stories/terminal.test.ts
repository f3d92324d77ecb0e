import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { EmulatedScreen } from "../unit/report/view/emulator.ts";
import { gate, proxyTo } from "./proxy.ts";
import {
  KEYS,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  servedSandbox,
  type Service,
  until,
  onTerminalOf,
} from "./world.ts";

/** A command on a terminal, as its user sees it. */
interface OnTerminal {
  /** Everything that the terminal has received so far. */
  readonly raw: () => string;
  readonly type: (keys: string) => void;
  readonly ended: Promise<number>;
  readonly screen: EmulatedScreen;
}

const CTRL_C = "\u0003";
const SHOWN = "\u001b[?25h";
const HIDDEN = "\u001b[?25l";

function onTerminal({ folder, variables }: Project, columns: number, ...args: string[]): OnTerminal {
  const env = { PATH: process.env["PATH"], TERM: "xterm", TZ: "UTC", ...variables };
  const child = spawn("script", ["-qefc", onTerminalOf(columns, args), "/dev/null"], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const screen = new EmulatedScreen(columns, 30);
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
    screen.write(text);
  });
  const ended = once(child, "close").then(([code]) => code as number);
  return { raw: () => raw, type: (keys) => void child.stdin.write(keys), ended, screen };
}

/** A run whose mint is held on its way, and a function that releases the mint. */
async function held(): Promise<{ project: Project; service: Service; arrived: Promise<void>; letGo: () => void }> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject({ ...KEYS });
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  const [here, way] = [gate(), gate()];
  void proxy.next("POST /token/mint", async (passing) => {
    here.open();
    await way.passed;
    passing.answer(await passing.forward());
  });
  return { project, service, arrived: here.passed, letGo: way.open };
}

test.for([40, 80, 120])(
  "at %i columns the tree disappears at the end, and leaves the lines of a log and the cursor",
  async (columns) => {
    const { project, arrived, letGo } = await held();
    const terminal = onTerminal(project, columns, "run", "mint.yaml");
    await arrived;
    const during = await until(() => (/mint.* s\b/.test(stripVTControlCharacters(terminal.raw())) ? terminal.raw() : undefined));
    expect(during.lastIndexOf(HIDDEN)).toBeGreaterThan(during.lastIndexOf(SHOWN));
    letGo();
    expect(await terminal.ended).toBe(0);
    const lines = await terminal.screen.lines();
    const whole = lines.join("");
    expect(lines[0]).toMatch(/^▶ Mint once {2}\(mint\.yaml\)/);
    expect(whole.match(/✓ changed {2}mint/g)).toHaveLength(1);
    expect(whole).toContain("✓ passed  Mint once: 3 steps: 2 changed, 1 ok");
    expect(terminal.raw().lastIndexOf(SHOWN)).toBeGreaterThan(terminal.raw().lastIndexOf(HIDDEN));
  },
);

test("Ctrl-C waits for the open write, and the last line shows how to resume", async () => {
  const { project, service, arrived, letGo } = await held();
  const terminal = onTerminal(project, 80, "run", "mint.yaml");
  await arrived;
  terminal.type(CTRL_C);
  await until(() => (terminal.raw().includes("stopping, Ctrl-C again ends at once") ? true : undefined));
  letGo();
  expect(await terminal.ended).toBe(130);
  expect((await terminal.screen.lines()).at(-1)).toMatch(/^ {4}to continue: tokenbook resume \S+$/);
  expect(terminal.raw().lastIndexOf(SHOWN)).toBeGreaterThan(terminal.raw().lastIndexOf(HIDDEN));
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("a second Ctrl-C ends the run at once, shows the cursor, and shows how to resume", async () => {
  const { project, arrived, letGo } = await held();
  const terminal = onTerminal(project, 100, "run", "mint.yaml");
  await arrived;
  terminal.type(CTRL_C);
  await until(() => (terminal.raw().includes("stopping, ") ? true : undefined));
  terminal.type(CTRL_C);
  expect(await terminal.ended).toBe(130);
  letGo();
  expect((await terminal.screen.lines()).at(-1)).toBe(
    "tokenbook: ended at once; to continue a run that was under way: tokenbook resume",
  );
  expect(terminal.raw().lastIndexOf(SHOWN)).toBeGreaterThan(terminal.raw().lastIndexOf(HIDDEN));
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
});

test("with `--debug` on the same terminal there is no tree", async () => {
  const { project, letGo } = await held();
  letGo();
  const terminal = onTerminal(project, 80, "run", "mint.yaml", "--debug");
  expect(await terminal.ended).toBe(0);
  expect(terminal.raw()).toContain("curl -sS");
  expect(terminal.raw()).not.toContain(HIDDEN);
});
