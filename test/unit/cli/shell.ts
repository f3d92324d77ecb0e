import { expect } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import type { Command, Shell, Terminal } from "../../../src/cli/shell.ts";

const NOT_STOPPING = new AbortController().signal;

/** Returns what a command prints with these options, if it only prints. */
export async function shownBy<O>(command: Command<O>, options: O): Promise<string> {
  let text = "";
  expect(
    await command(
      silentShell((more) => void (text += more)),
      options,
    ),
  ).toBe(0);
  return text;
}

/** A shell that can do nothing but print. */
export function silentShell(write: (text: string) => void = () => undefined): Shell {
  const terminal: Terminal = { isTTY: false, columns: 80, rows: 24, write };
  return {
    caller: "person",
    hint: PLAIN_HINT,
    hintState: () => undefined,
    stdin: () => Promise.resolve(new Uint8Array()),
    streams: () => {
      throw new Error("nothing is spoken over stdio");
    },
    stdout: terminal,
    stderr: terminal,
    cwd: ".",
    variables: {},
    node: "24.0.0",
    relaunch: () => Promise.reject(new Error("run once")),
    command: () => Promise.reject(new Error("nothing else is run")),
    signal: () => undefined,
    stopping: () => NOT_STOPPING,
  };
}
