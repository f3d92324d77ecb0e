import { Failure } from "../../base/failure.ts";
import { type Listeners, loadListeners } from "../../environment/notifications.ts";
import { jsonLog, type Log, plainLog } from "../../schedule/log.ts";
import { type PageSource, type ServedPage, servePage } from "../../schedule/page.ts";
import type { ListenAddress } from "../../serving/server.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { type Dotenv, variablesOf } from "../project/state-place.ts";
import { emptyStateNote } from "../runs/not-moved.ts";
import { peekIntoJournal } from "../runs/open-journal.ts";

// The parts that schedulers and workers share. Both run until they are stopped.

/** Returns the log of a command: plain lines on a terminal, JSON otherwise. */
export function logOf({ stdout }: Pick<ProjectShell, "stdout">, json: boolean | undefined): Log {
  if (stdout.isTTY && json !== true) return plainLog((line) => stdout.write(line));
  return jsonLog((line) => stdout.write(line, "json"));
}

/** Warns about a database that contains no run. */
export function warnOfEmptyState({ hint }: Pick<ProjectShell, "hint">, state: StatePlace, log: Log): void {
  if (typeof state === "string") return;
  for (const note of peekIntoJournal(state, (store) => emptyStateNote(state, store, hint))) log("warn", "state.empty", note);
}

/** Serves metrics and health if an address is given, and logs the event. Throws a Failure. */
export async function pageOf(
  listen: ListenAddress | undefined,
  source: PageSource,
  { log, event }: { readonly log: Log; readonly event: string },
): Promise<ServedPage | undefined> {
  if (listen === undefined) return undefined;
  const page = await servePage(listen, source);
  log("info", event, `serves ${page.url}/metrics, /healthz and /readyz`, { url: page.url });
  return page;
}

/** Returns the channels of the project's tokenbook.yaml that are notified: all, or the named ones. Throws a Failure. */
export function listenersOf(shell: ProjectShell, dotenv: Dotenv, names?: readonly string[]): Listeners {
  const { environmentFile: file } = shell.project;
  if (file !== undefined) return loadListeners(file, { cwd: shell.cwd, variables: variablesOf(shell, dotenv), names });
  if (names !== undefined) throw noChannels();
  return { channels: [], declared: [], heartbeat: undefined };
}

function noChannels(): Failure {
  return new Failure({
    code: "notifications.unknown",
    message: "there is no tokenbook.yaml here or above, so nobody can be notified",
    next: "declare them under notifications: in tokenbook.yaml",
  });
}
