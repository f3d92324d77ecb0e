import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { outlineEnvironments } from "../../environment/load.ts";
import type { Playbook } from "../../playbook/model.ts";
import { callsOf, playbooksIn } from "../../playbook/playbook-walk.ts";
import type { Scheduled } from "../../schedule/carrier.ts";
import type { Log } from "../../schedule/log.ts";
import type { Ticking } from "../../schedule/service.ts";
import { inProjectOf, type ProjectShell } from "../project/chosen-project.ts";
import { EMBEDDED_NAME, loadPlaybooks, playbookFiles, type Where } from "../project/project.ts";
import { type InputOptions, inputNames, preparePlaybooks } from "../runs/prepare-playbooks.ts";
import type { Shell } from "../shell.ts";

/** The options that say which playbooks are on a schedule, and where they run. */
export type WhichOptions = Where & InputOptions;

/** A scheduled playbook, and the file that it is read from each time. */
export interface OnFile extends Scheduled {
  /** The playbook's file, as the command line names or finds it. */
  readonly file: string;
  /** That file, and those of the playbooks that it includes: any of them may write. */
  readonly files: readonly string[];
}

/** Playbooks that were checked and have all they need. Throws a Failure, as `tokenbook run` does. */
export function readScheduled(
  shell: ProjectShell,
  options: WhichOptions,
): { readonly all: readonly OnFile[]; readonly inputs: readonly string[] } {
  const named = playbookFiles(shell, options.files);
  const playbooks = loadPlaybooks(shell, named.files, { tags: options.tags });
  const { ready } = preparePlaybooks(shell, options, playbooks, { named });
  return { all: ready.map(({ playbook }) => onFile(shell, options, playbook)), inputs: inputNames(playbooks) };
}

/** Returns the shell in the project of the playbooks on a schedule. Throws a Failure when they are of two projects. */
export function inScheduledProject(shell: Shell, options: WhichOptions): ProjectShell {
  return inProjectOf(shell, filesNamed(shell, options), options);
}

/** The schedules where their playbooks cannot be read. */
export function scheduledUnread(shell: ProjectShell, options: WhichOptions): readonly Scheduled[] {
  return filesNamed(shell, options).map((file) => ({ ...aboutOf(shell, options, file), schedule: undefined, writes: false }));
}

/** Returns the files of the playbooks that the options name; where a folder cannot be read, the names as they are. */
export function filesNamed(shell: Shell, { files }: Pick<WhichOptions, "files">): readonly string[] {
  try {
    return playbookFiles(shell, files).files;
  } catch (error) {
    if (error instanceof Failure) return files;
    throw error;
  }
}

/** Those that have a schedule of their own. Throws a Failure when none has. */
export function tickingOf(all: readonly OnFile[]): readonly (OnFile & Ticking)[] {
  const ticking = all.filter(isTicking);
  if (ticking.length > 0) return ticking;
  throw new Failure({
    code: "schedule.none",
    message: all.length === 1 ? `${all[0]?.file} has no schedule` : `none of the ${count(all.length, "playbook")} has a schedule`,
    why: "nothing would ever be run",
    next: [
      'write schedule: { cron: "15 2 * * *" } into the playbook, or let the system decide when:',
      command`schedule --once PLAYBOOK`,
    ],
  });
}

function isTicking(each: OnFile): each is OnFile & Ticking {
  return each.schedule !== undefined;
}

function onFile(shell: ProjectShell, options: WhichOptions, playbook: Playbook): OnFile {
  const { file, schedule } = playbook;
  const about = aboutOf(shell, options, file);
  const files = playbooksIn(playbook).map((each) => each.file);
  return { ...about, file, files, schedule, writes: [...callsOf(playbook)].some(({ operation }) => operation.writes) };
}

/**
 * By what a schedule is known to every process of a state directory: the playbook's path from the project, the environment, and, where inputs
 * are given, what they are.
 */
function aboutOf(shell: ProjectShell, options: WhichOptions, file: string): Pick<Scheduled, "id" | "playbook" | "environment"> {
  const { environmentFile: found, folder } = shell.project;
  const inProject = (path: string): string => relative(folder, resolve(shell.cwd, path));
  const environment =
    options.env ?? (found === undefined ? EMBEDDED_NAME : (outlineEnvironments(found, shell.cwd)[0]?.name ?? ""));
  const inputs = options.inputs === undefined ? null : inProject(options.inputs);
  const playbook = inProject(file);
  return { id: `${playbook}@${environment}${markOf(options.input, inputs)}`, playbook, environment };
}

function markOf(input: WhichOptions["input"], inputs: string | null): string {
  const given = Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (given.length === 0 && inputs === null) return "";
  const digest = createHash("sha256").update(JSON.stringify([inputs, given]));
  return `+${digest.digest("hex").slice(0, MARK_DIGITS)}`;
}

const MARK_DIGITS = 8;

/** The schedules as the files have them now: one whose file changed is read again. A broken one keeps its schedule, and fails when it fires. */
export class WatchedPlaybooks {
  readonly #shell: ProjectShell;
  readonly #options: WhichOptions;
  readonly #log: Log;
  readonly #stamps: Map<string, string>;
  #files: readonly OnFile[];
  /** The file at which the next look begins. */
  #next = 0;
  #ticking: readonly (OnFile & Ticking)[];

  constructor(from: { shell: ProjectShell; options: WhichOptions; log: Log }, files: readonly OnFile[]) {
    this.#shell = from.shell;
    this.#options = from.options;
    this.#log = from.log;
    this.#files = files;
    this.#ticking = tickingOf(files);
    this.#stamps = new Map(files.map((each) => [each.file, this.#stampOf(each)]));
  }

  /** The same list as before when nothing has changed. Of thousands of files it looks at some at a time, because others wait meanwhile. */
  current(): readonly (OnFile & Ticking)[] {
    const from = this.#next;
    const to = from + LIMITS.scheduleFilesAtOnce;
    this.#next = to < this.#files.length ? to : 0;
    const files = this.#files.map((each, at) => (at < from || at >= to ? each : this.#again(each)));
    if (files.every((each, at) => each === this.#files[at])) return this.#ticking;
    this.#files = files;
    this.#ticking = files.filter(isTicking);
    return this.#ticking;
  }

  #again(before: OnFile): OnFile {
    const stamp = this.#stampOf(before);
    if (this.#stamps.get(before.file) === stamp) return before;
    this.#stamps.set(before.file, stamp);
    const about = { schedule: before.id };
    const playbook = this.#read(before.file);
    if (playbook === undefined) {
      this.#log(
        "error",
        "playbook.broken",
        `${before.id}: has been edited or removed, and cannot be run; its schedule stays, and each firing fails until it can`,
        about,
      );
      return before;
    }
    const what = playbook.schedule === undefined ? "has no schedule any more" : "has been edited";
    this.#log("info", "playbook.edited", `${before.id}: ${what}`, about);
    const after = onFile(this.#shell, this.#options, playbook);
    if (after.files.join() !== before.files.join()) this.#stamps.set(after.file, this.#stampOf(after));
    return after;
  }

  #read(file: string): Playbook | undefined {
    try {
      return loadPlaybooks(this.#shell, [file])[0];
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  #stampOf({ files }: OnFile): string {
    const stamps = files.map((file) => {
      const found = statSync(resolve(this.#shell.cwd, file), { throwIfNoEntry: false, bigint: true });
      return found === undefined ? "none" : `${found.ino} ${found.size} ${found.mtimeNs}`;
    });
    return stamps.join();
  }
}
