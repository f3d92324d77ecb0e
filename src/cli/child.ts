import { spawn } from "node:child_process";
import { once } from "node:events";
import { LIMITS } from "../base/limits.ts";
import { shortened } from "../base/text/text.ts";
import type { Relaunch } from "./shell.ts";
import type { CommandEnd } from "../schedule/notify/deliver.ts";

/** Runs a program as a child in this working folder and waits until it ends. When the child is killed, we do not wait for processes that it has started. */
export async function runChild(
  [program, ...args]: readonly [string, ...string[]],
  given: Pick<Relaunch, "input" | "variables" | "kill">,
  cwd: string,
): Promise<CommandEnd> {
  const child = spawn(program, args, { cwd, env: { ...given.variables }, stdio: ["pipe", "ignore", "pipe"] });
  const kill = (): void => {
    child.kill("SIGKILL");
    child.stderr.destroy();
  };
  given.kill.addEventListener("abort", kill);
  try {
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      // One character more shows that there was more.
      stderr = (stderr + text).slice(0, LIMITS.childErrorChars + 1);
    });
    const ended = once(child, "close");
    // a child that dies before it has read all its input is judged by its exit code
    child.stdin.on("error", () => undefined).end(given.input);
    const [code, signal] = await ended;
    return { code: code as number | null, signal: signal as string | null, stderr: shortened(stderr, LIMITS.childErrorChars) };
  } finally {
    given.kill.removeEventListener("abort", kill);
  }
}
