import { readdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { systemClock } from "../../base/ports.ts";
import { count } from "../../base/text/text.ts";
import { formatFailure } from "../print/failure.ts";
import { hinted } from "../print/hint.ts";
import type { Shell } from "../shell.ts";

const LOOK_MS = 200;

/**
 * Repeats some work until the command is stopped: whenever a file that the work has read changes, or a YAML file is added to a named folder. It polls the files
 * instead of waiting for events of the system, so it finds each change on every file system and with every editor.
 */
export async function whenChanged(
  shell: Shell,
  named: readonly string[],
  work: (shell: Shell) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stopping = shell.stopping();
  while (!stopping.aborted) {
    const seen = new Map(named.map((name) => resolve(shell.cwd, name)).map((path) => [path, stampOf(path)]));
    const onRead = (path: string): void => {
      // We note its state before it is read, so that no change in between is lost.
      if (!seen.has(path)) seen.set(path, stampOf(path));
    };
    await done(shell, () => work({ ...shell, onRead }));
    if (stopping.aborted) break;
    shell.stderr.write(`watching ${count(seen.size, "file")}; stop with Ctrl-C\n`);
    const changed = await firstChange(seen, stopping);
    if (changed !== undefined) shell.stderr.write(`\nchanged: ${changed.slice(commonLength(changed, `${shell.cwd}/`))}\n`);
  }
  return EXIT.interrupted;
}

async function done(shell: Shell, work: () => Promise<ExitCode>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.stderr.write(formatFailure(hinted(error, shell.hint)));
  }
}

// An editor may remove a file before it puts the new one in its place, so a change counts only when the next look finds nothing further.
async function firstChange(seen: ReadonlyMap<string, string>, stopping: AbortSignal): Promise<string | undefined> {
  for (let last = ""; !stopping.aborted;) {
    await systemClock.sleep(LOOK_MS, stopping);
    const changed = [...seen].flatMap(([path, stamp]) => (stampOf(path) === stamp ? [] : [path]));
    const now = changed.map((path) => `${path} ${stampOf(path)}`).join("\n");
    if (now !== "" && now === last) return changed[0];
    last = now;
  }
  return undefined;
}

function commonLength(path: string, folder: string): number {
  return path.startsWith(folder) ? folder.length : 0;
}

// A file is compared by what a save changes, a folder by the YAML files below it.
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "none";
  if (!found.isDirectory()) return `${found.ino} ${found.mtimeMs} ${found.size}`;
  try {
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.ya?ml$/i.test(name))
      .toSorted()
      .join("\n");
  } catch {
    return "unreadable";
  }
}
