import { expect } from "vitest";
import type { Command, Shell, Terminal } from "../../../src/cli/shell.ts";

/** What a command that only prints writes for these options. */
export async function shownBy<O>(command: Command<O>, options: O): Promise<string> {
  let text = "";
  const terminal: Terminal = { isTTY: false, columns: 80, rows: 24, write: (more) => void (text += more) };
  const shell: Shell = {
    stdin: () => Promise.resolve(new Uint8Array()),
    streams: () => {
      throw new Error("nothing is spoken over stdio");
    },
    stdout: terminal,
    stderr: terminal,
    cwd: ".",
    variables: {},
    command: async () => ({ code: 0, signal: null, stderr: "" }),
    again: () => Promise.reject(new Error("run once")),
    signal: () => undefined,
    stopping: new AbortController().signal,
  };
  expect(await command(shell, options)).toBe(0);
  return text;
}
