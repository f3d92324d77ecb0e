import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { count, didYouMean, quoted } from "../../../base/text/text.ts";
import type { NamedPlace } from "../../../journal/moving.ts";
import { DATABASE } from "../../../sql/mark.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { askAnyQueue } from "../../fleet/open-queue.ts";
import { MOVE, serverOf } from "../../project/state-server.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { type Dotenv, stateDirectory } from "../../project/state-place.ts";
import { moved } from "../../runs/move.ts";
import { printData, printText } from "../../print/result.ts";
import type { Command } from "../../shell.ts";

interface MoveOptions extends Dotenv {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

/** `tokenbook state move FROM TO`: moves runs, drifts and schedules between a folder and a database. */
export const moveState: Command<MoveOptions> = async (plainShell, options) => {
  const shell = inProjectHere(plainShell);
  assertPlaces(options);
  const [from, to] = [placeOf(shell, options.from, options), placeOf(shell, options.to, options)];
  if (typeof from.place === "string" && !existsSync(from.place)) throw nothingThere(options.from);
  const { runs, records } = await moved({ from, to, assertNoJobs: () => assertNoJobs(shell, from.place) });
  if (options.json === true) return printData(shell, { runs, records });
  return printText(
    shell,
    `moved ${count(runs, "run")} with ${count(records, "record")} to ${options.to}; every record is verified there\n${options.from} keeps its copy, which commands refuse from now on\n${typeof to.place === "string" ? wayToFolder(shell, to.place) : ""}`,
  );
};

function assertPlaces({ from, to }: MoveOptions): void {
  const names = [from, to];
  if ((from === DATABASE) !== (to === DATABASE)) return;
  const meant = from === DATABASE ? undefined : names.find((name) => didYouMean(name, [DATABASE]) !== undefined);
  throw new Failure({
    code: "state.places",
    message:
      meant === undefined
        ? `one of the two places is a folder, and the other is the word ${DATABASE}`
        : `${meant} would be a folder; did you mean ${DATABASE}?`,
    why: "a state is moved between a folder and the database that tokenbook.yaml names; nothing was moved",
    next: command`state move ${meant === undefined ? [".tokenbook", DATABASE] : names.map((name) => (name === meant ? DATABASE : name))}`,
  });
}

function placeOf(shell: ProjectShell, name: string, dotenv: Dotenv): NamedPlace {
  if (name === DATABASE) return { place: serverOf(shell, dotenv, MOVE), name };
  const folder = resolve(shell.cwd, name);
  return { place: folder, name: folder };
}

// The setting must be removed on every machine, because the old database refuses all commands.
function wayToFolder({ cwd, project }: ProjectShell, to: string): string {
  const file = project.environmentFile === undefined ? "tokenbook.yaml" : relative(cwd, project.environmentFile);
  const usual = stateDirectory({ cwd, project }, {}) === to;
  return `next: remove "state:" from ${file}${usual ? "" : `, and give commands --state ${quoted(relative(cwd, to))}`}\n`;
}

// Jobs stay in the queue of the old database, where no worker looks for them any more.
async function assertNoJobs(shell: ProjectShell, from: StatePlace): Promise<void> {
  if (typeof from === "string") return;
  const load = await askAnyQueue(shell, from, (queue) => queue.load());
  const jobs = load.reduce((sum, { waiting, active }) => sum + waiting + active, 0);
  if (jobs > 0) throw jobsLeft(jobs);
}

function jobsLeft(jobs: number): Failure {
  return new Failure({
    code: "state.jobs-left",
    message: `${count(jobs, "submitted run")} ${jobs === 1 ? "has" : "have"} not ended`,
    why: "jobs stay in the queue of the old database, where no worker would take them; nothing was moved",
    next: ["let workers end them, for all of their labels:", command`worker --labels LABELS`],
  });
}

function nothingThere(name: string): Failure {
  return new Failure({
    code: "state.not-found",
    message: `there is no state directory ${name}`,
    next: "name the folder that holds the runs, such as .tokenbook",
  });
}
