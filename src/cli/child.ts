import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Again, ChildEnd } from "./shell.ts";

/** Runs a program as a child, in the working folder of this process and to its end. */
export async function runChild([program, ...args]: readonly [string, ...string[]], again: Again): Promise<ChildEnd> {
  const child = spawn(program, args, { env: { ...again.variables }, stdio: ["pipe", "ignore", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  again.kill.addEventListener("abort", kill);
  try {
    const ended = once(child, "close");
    // One that dies before it has read everything is told by how it ended.
    child.stdin.on("error", () => undefined).end(again.input);
    const [stderr, [code, signal]] = await Promise.all([text(child.stderr), ended]);
    return { code: code as number | null, signal: signal as string | null, stderr };
  } finally {
    again.kill.removeEventListener("abort", kill);
  }
}
