import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
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
import { notBegunBy } from "../project/check-failure.ts";
import { isData } from "../project/folder-files.ts";
import { EMBEDDED_NAME, loadPlaybooks, namesOfPlaybooks, playbookFiles, readText, type Where } from "../project/project.ts";
import { isChosen } from "../project/tags.ts";
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

/** The playbooks that a schedule begins with. */
export interface ReadPlaybooks {
  /** Those that are served. */
  readonly all: readonly OnFile[];
  /** Files of the folders that are not: data, parts of others, and those that the tags do not choose. */
  readonly leftOut: readonly string[];
  /** The inputs that any of them declares. */
  readonly inputs: readonly string[];
}

/** Playbooks that were checked and have all they need. Throws a Failure, as `tokenbook run` does. */
export function readScheduled(shell: ProjectShell, options: WhichOptions): ReadPlaybooks {
  const named = playbookFiles(shell, options.files);
  const playbooks = loadPlaybooks(shell, named.files, { tags: options.tags });
  const { ready, skipped } = preparePlaybooks(shell, options, playbooks, { named });
  const served = new Set(ready.map(({ playbook }) => playbook.file));
  return {
    all: ready.map(({ playbook }) => onFile(shell, options, playbook)),
    leftOut: [...named.files, ...skipped.map(({ file }) => file)].filter((file) => !served.has(file)),
    inputs: inputNames(playbooks),
  };
}

/** Returns the shell in the project of the playbooks on a schedule. Throws a Failure when they are of two projects. */
export function inScheduledProject(shell: Shell, options: WhichOptions): ProjectShell {
  return inProjectOf(shell, filesNamed(shell, options), options);
}

/** The schedules where their playbooks cannot be read. */
export function scheduledUnread(shell: ProjectShell, options: WhichOptions): readonly Scheduled[] {
  return filesNamed(shell, options).map((file) => unread(shell, options, file));
}

/** Those of the known schedules that the options name; of a folder that cannot be read, all that are known in it. */
export function knownUnread(
  shell: ProjectShell,
  options: WhichOptions,
  known: readonly Pick<Scheduled, "id" | "playbook">[],
): readonly Scheduled[] {
  const named = filesNamed(shell, options).map((file) => resolve(shell.cwd, file));
  return known.flatMap(({ id, playbook }) => {
    const path = resolve(shell.project.folder, playbook);
    const isNamed = named.some((each) => path === each || path.startsWith(`${each}${sep}`));
    const scheduled = unread(shell, options, path);
    return isNamed && scheduled.id === id ? [scheduled] : [];
  });
}

function unread(shell: ProjectShell, options: WhichOptions, file: string): Scheduled {
  return { ...aboutOf(shell, options, file), schedule: undefined, writes: false };
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

/**
 * The schedules as the files have them now: one whose file changed is read again, and a playbook that was put into a folder is taken up. A broken or
 * removed one keeps its schedule, and fails when it fires: a folder that is away for a while must not end its schedules in silence.
 */
export class WatchedPlaybooks {
  readonly #shell: ProjectShell;
  readonly #options: WhichOptions;
  readonly #log: Log;
  readonly #stamps = new Map<string, string>();
  #files: readonly OnFile[];
  /** The file at which the next look begins. */
  #next = 0;
  #ticking: readonly (OnFile & Ticking)[];
  /** Files whose playbook cannot be run. */
  readonly #broken = new Set<string>();
  /** Why the folders could not be listed at the last look. */
  #unlisted: string | undefined;

  /** `leftOut` are the files of the folders that are not served, and not read again before they change. */
  constructor(
    from: { shell: ProjectShell; options: WhichOptions; log: Log },
    { all, leftOut }: Pick<ReadPlaybooks, "all" | "leftOut">,
  ) {
    this.#shell = from.shell;
    this.#options = from.options;
    this.#log = from.log;
    this.#files = all;
    this.#ticking = tickingOf(all);
    for (const { file, files } of all) this.#isSeen(file, files);
    for (const file of [...leftOut, ...this.#environmentFile()]) this.#isSeen(file);
  }

  /** The same list as before when nothing has changed. Of thousands of files it looks at some at a time, because others wait meanwhile. */
  current(): readonly (OnFile & Ticking)[] {
    const from = this.#next;
    const to = from + LIMITS.scheduleFilesAtOnce;
    this.#next = to < this.#files.length ? to : 0;
    const known = this.#files.map((each, at) => (at < from || at >= to ? each : this.#again(each)));
    if (from === 0) this.#noteEnvironment();
    const added = from === 0 ? this.#added() : [];
    if (added.length === 0 && known.every((each, at) => each === this.#files[at])) return this.#ticking;
    this.#files = [...known, ...added];
    this.#ticking = this.#files.filter(isTicking);
    return this.#ticking;
  }

  /** The schedules as they were at the last look. */
  get ticking(): readonly (OnFile & Ticking)[] {
    return this.#ticking;
  }

  /** How many files hold a playbook that cannot be run as it is now. */
  get broken(): number {
    return this.#broken.size;
  }

  #again(before: OnFile): OnFile {
    const { id, file, files } = before;
    if (this.#isSeen(file, files)) return before;
    const about = { schedule: id };
    const playbook = this.#read(file, (why) => {
      const what = `has been edited or removed, and cannot be run: ${why}`;
      const then = "its schedule stays, and each firing fails until it can, or until the next start";
      this.#log("error", "playbook.broken", `${id}: ${what}; ${then}`, about);
    });
    if (playbook === undefined) return before;
    const what = playbook.schedule === undefined ? "has no schedule any more" : "has been edited";
    this.#log("info", "playbook.edited", `${id}: ${what}`, about);
    return this.#served(playbook, files);
  }

  #environmentFile(): readonly string[] {
    const { environmentFile } = this.#shell.project;
    return environmentFile === undefined ? [] : [environmentFile];
  }

  // Somebody who adds a channel there would wait for its notifications.
  #noteEnvironment(): void {
    for (const file of this.#environmentFile()) {
      if (this.#isSeen(file)) continue;
      const then =
        "each run on a service reads its environment again; notifications, heartbeat, pacing and state count from the next start";
      this.#log("warn", "environment.edited", `${relative(this.#shell.cwd, file)} has been edited: ${then}`);
    }
  }

  #added(): readonly OnFile[] {
    const served = new Set(this.#files.map(({ file }) => file));
    const others = new Set(this.#listed().filter((file) => !served.has(file)));
    for (const file of this.#broken) if (!served.has(file) && !others.has(file)) this.#forget(file);
    return [...others].filter((file) => !this.#isSeen(file)).flatMap((file) => this.#taken(file));
  }

  #taken(file: string): readonly OnFile[] {
    const broken = (why: string): void =>
      this.#log("error", "playbook.broken", `${file}: was added, and cannot be run: ${why}; it never fires until it can`, {
        file,
      });
    const isPlaybook = (): boolean => !isData(file, readText(resolve(this.#shell.cwd, file), file));
    const playbook = this.#read(file, broken, isPlaybook);
    if (playbook === undefined || !isChosen(playbook, this.#options.tags ?? [])) return [];
    const added = this.#served(playbook, [file]);
    const what = playbook.schedule === undefined ? "was added, and has no schedule" : "was added";
    this.#log("info", "playbook.added", `${added.id}: ${what}`, { schedule: added.id });
    return [added];
  }

  // The files that were looked at are not looked at again after they were read: an edit meanwhile would be lost.
  #served(playbook: Playbook, seen: readonly string[]): OnFile {
    const served = onFile(this.#shell, this.#options, playbook);
    if (served.files.join() !== seen.join()) this.#isSeen(served.file, served.files);
    return served;
  }

  // Where nothing can be listed, nobody would miss a playbook that is added.
  #listed(): readonly string[] {
    let why: string | undefined;
    const names = tried(
      () => namesOfPlaybooks(this.#shell, this.#options.files),
      (each) => (why = each),
    );
    if (why !== undefined && why !== this.#unlisted)
      this.#log("error", "playbook.unlisted", `${why}; no playbook that is added is taken up meanwhile`);
    this.#unlisted = why;
    return names ?? [];
  }

  #read(file: string, broken: (why: string) => void, isPlaybook = (): boolean => true): Playbook | undefined {
    this.#broken.delete(file);
    return tried(
      () => (isPlaybook() ? loadPlaybooks(this.#shell, [file])[0] : undefined),
      (why) => {
        this.#broken.add(file);
        broken(why);
      },
    );
  }

  #forget(file: string): void {
    this.#broken.delete(file);
    this.#stamps.delete(file);
  }

  /** Whether files are as they were when this was asked before. */
  #isSeen(file: string, files: readonly string[] = [file]): boolean {
    const stamp = files.map((each) => stampOf(resolve(this.#shell.cwd, each))).join();
    const isSeen = this.#stamps.get(file) === stamp;
    this.#stamps.set(file, stamp);
    return isSeen;
  }
}

function tried<T>(work: () => T, failed: (why: string) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const [first] = notBegunBy(error, () => []);
    failed(first?.problem.message ?? error.message);
    return undefined;
  }
}

// A file system that is away for a moment ends no schedule.
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
