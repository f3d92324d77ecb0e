// How the test explorer shows a playbook's outline and a run's events. These tests need no editor.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { argumentsFor, commandFor } from "../../editor/vscode/src/command.ts";
import { TestRunModel, testsIn } from "../../editor/vscode/src/test-model.ts";
import { LAUNCH } from "../../src/cli/debug/launch-arguments.ts";
import { symbolsOf, stepOnLine, type PlaybookSymbol } from "../../src/editor/symbols.ts";
import { temporaryFolder } from "../stories/world.ts";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly debuggers: readonly { readonly configurationAttributes: { readonly launch: { readonly properties: object } } }[];
  };
}

const BOOK = `playbook: 1
name: Approve and pay
steps:
  - id: board
    block:
      - id: approve
        foreach: { member: ["a", "b"] }
        uses: ledger.transfer.approve
    always:
      - { id: look, uses: ledger.status }
  - id: pay
    uses: ./pay.yaml
checks:
  - { name: sum, read: ledger.status, that: "true" }
  - { read: ledger.status, that: "true" }
`;

function outline({ kind, name, detail, held }: PlaybookSymbol): unknown {
  return [`${kind} ${name}${detail === "" ? "" : ` ${detail}`}`, ...held.map(outline)];
}

test("the outline of a playbook has its blocks, steps and checks, even if it has mistakes", () => {
  const playbook = symbolsOf({ path: "book.yaml", text: BOOK });
  expect(playbook && outline(playbook)).toEqual([
    "playbook Approve and pay",
    ["block board", ["call approve ledger.transfer.approve"], ["call look ledger.status"]],
    ["include pay ./pay.yaml"],
    ["check checks.sum ledger.status"],
    ["check checks.2 ledger.status"],
  ]);
  expect(symbolsOf({ path: "other.yaml", text: "services: {}\n" })).toBeUndefined();
  expect(symbolsOf({ path: "broken.yaml", text: "playbook: 1\nsteps: [" })).toBeUndefined();
});

test("a line belongs to the innermost step at that line", () => {
  const lines = BOOK.split("\n").map((_, at) => stepOnLine({ path: "book.yaml", text: BOOK }, at + 1));
  const names = lines.map((found) => found && `${found.name} ${found.line}`);
  const [head, steps] = [names.slice(0, 3), names.slice(3)];
  expect(head).toEqual([undefined, undefined, undefined]);
  expect(steps.map((name) => name ?? "-").join(", ")).toBe(
    "board 4, board 4, approve 6, approve 6, approve 6, board 4, look 10, pay 11, pay 11, -, checks.sum 14, checks.2 15, -",
  );
});

test("rounds are below their step, which has the worst of their outcomes, and a step that never ran is skipped", () => {
  const range = { start: { line: 0 } };
  const steps = ["approve", "pay", "never"].map((name) => ({ name, range }));
  const playbook = testsIn("file:///book.yaml", [{ name: "Book", range, children: steps }]);
  if (playbook === undefined) expect.fail();
  const seen: string[] = [];
  const short = (id: string): string => id.replace("file:///", "");
  const model = new TestRunModel(playbook, {
    started: (id) => seen.push(`started ${short(id)}`),
    ended: (id, verdict, message) => seen.push(`${verdict} ${short(id)} ${message}`.trim()),
    addRound: (step, round, label) => seen.push(`round ${label} of ${short(step)} is ${short(round)}`),
  });
  const say = (body: object): void => model.take({ type: "event", event: "tokenbook.step", body });
  say({ state: "started", address: "approve[a]", step: "approve" });
  say({ state: "ended", address: "approve[a]", step: "approve", outcome: "changed" });
  say({ state: "ended", address: "approve[b]", step: "approve", outcome: "unknown", message: "no answer" });
  say({ state: "ended", address: "pay/mint", step: "pay/mint", outcome: "failed", message: "not shown" });
  model.take({ type: "response", event: "exited", body: { exitCode: 0 } });
  model.take({ type: "event", event: "exited", body: { exitCode: 5 } });
  model.end();
  expect(seen).toEqual([
    "round approve[a] of book.yaml#approve is book.yaml#approve[a]",
    "started book.yaml#approve[a]",
    "passed book.yaml#approve[a]",
    "round approve[b] of book.yaml#approve is book.yaml#approve[b]",
    "errored book.yaml#approve[b] no answer",
    "errored book.yaml#approve no answer",
    "skipped book.yaml#pay",
    "skipped book.yaml#never",
    "errored book.yaml the outcome of a write is unknown: tokenbook resume looks again",
  ]);
  expect(testsIn("file:///other.yaml", [])).toBeUndefined();
});

test("the manifest has the launch fields of the debugger, and its menus use its commands", () => {
  const { contributes } = JSON.parse(readFileSync("editor/vscode/package.json", "utf8")) as Manifest;
  const attributes = Object.keys(contributes.debuggers[0]?.configurationAttributes.launch.properties ?? {});
  // The editor itself adds `noDebug`.
  const { properties } = LAUNCH as { readonly properties: object };
  expect(new Set([...attributes, "noDebug"])).toEqual(new Set(Object.keys(properties)));
  const commands = new Set(contributes.commands.map(({ command }) => command));
  const used = Object.values(contributes.menus).flatMap((menu) => menu.map(({ command }) => command));
  expect(used.filter((command) => !commands.has(command))).toEqual([]);
});

test("the extension runs the command of the settings, of the folder, or of the PATH", () => {
  expect(commandFor("/nowhere", ["node", "tokenbook.js"], "linux")).toEqual({ program: "node", args: ["tokenbook.js"] });
  expect(commandFor(temporaryFolder(), [], "linux")).toEqual({ program: "tokenbook", args: [] });
  const settings = { environment: "staging", inputsFile: "i.json" };
  expect(argumentsFor("plan", "a.yaml", settings)).toEqual(["plan", "a.yaml", "--env", "staging", "--inputs", "i.json"]);
  expect(argumentsFor("check", "a.yaml", settings)).toEqual(["check", "a.yaml"]);
});
