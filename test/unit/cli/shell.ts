import { expect } from "vitest";
import type { Command, Shell, Terminal } from "../../../src/cli/shell.ts";

/** A shell that nobody is at: what is printed goes to this terminal. */
export function shellTo(terminal: Terminal): Shell {
  return {
    stdin: () => Promise.resolve(new Uint8Array()),
    streams: () => {
      throw new Error("nothing is spoken over stdio");
    },
    stdout: terminal,
    stderr: terminal,
    cwd: ".",
    variables: {},
    again: () => Promise.reject(new Error("run once")),
    command: () => Promise.reject(new Error("nothing else is run")),
    signal: () => undefined,
    stopping: new AbortController().signal,
  };
}

/** What a command that only prints writes for these options. */
export async function shownBy<O>(command: Command<O>, options: O): Promise<string> {
  let text = "";
  const terminal: Terminal = { isTTY: false, columns: 80, rows: 24, write: (more) => void (text += more) };
  expect(await command(shellTo(terminal), options)).toBe(0);
  return text;
}
