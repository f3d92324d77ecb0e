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
import { EMBEDDED_NAME } from "../project/open-target.ts";
import { loadPlaybooks, namesOfPlaybooks, playbookFiles } from "../project/load-playbooks.ts";
import { readText } from "../project/read-file.ts";
import type { Where } from "../project/state-place.ts";
import { isChosen } from "../project/tags.ts";
import { type InputOptions, inputNames, preparePlaybooks } from "../runs/prepare-playbooks.ts";
import type { Shell } from "../shell.ts";

/** The options that choose the playbooks of a schedule and where they run. */
export type WhichOptions = Where & InputOptions;

/** A scheduled playbook, with the file that is read again for each run. */
export interface OnFile extends Scheduled {
  /** The playbook's file, as the command line names or finds it. */
  readonly file: string;
  /** That file, and the files of the playbooks that it includes. Any of them may write. */
  readonly files: readonly string[];
}

/** The playbooks of a scheduler at its start. */
export interface ReadPlaybooks {
  /** The playbooks that the scheduler serves. */
  readonly all: readonly OnFile[];
  /** Files of the folders that it does not serve: data, parts of others, and those that the tags do not choose. */
  readonly leftOut: readonly string[];
  /** The inputs that at least one playbook declares. */
  readonly inputs: readonly string[];
}

/** Returns the playbooks, checked and with all their inputs. Throws a Failure, as `tokenbook run` does. */
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

/** Returns the shell in the project of the scheduled playbooks. Throws a Failure if they belong to two projects. */
export function inScheduledProject(shell: Shell, options: WhichOptions): ProjectShell {
  return inProjectOf(shell, filesNamed(shell, options), options);
}

/** Returns the schedules without reading their playbooks, because they cannot be read. */
export function scheduledUnread(shell: ProjectShell, options: WhichOptions): readonly Scheduled[] {
  return filesNamed(shell, options).map((file) => unread(shell, options, file));
}

/** Returns the known schedules that the options name. If a folder cannot be read, returns all known schedules in it. */
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

/** Returns the files of the playbooks that the options name. If a folder cannot be read, returns the names as given. */
export function filesNamed(shell: Shell, { files }: Pick<WhichOptions, "files">): readonly string[] {
  try {
    return playbookFiles(shell, files).files;
  } catch (error) {
    if (error instanceof Failure) return files;
    throw error;
  }
}

/** Returns the playbooks that have a schedule of their own. Throws a Failure if none has. */
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
 * Returns the id of a schedule, which is the same for every process of a state directory. It consists of the playbook's path in the project, the environment,
 * and the inputs if any are given.
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
 * The schedules as the files define them now. A changed file is read again, and a playbook that is added to a folder gets a schedule. A broken or removed
 * playbook keeps its schedule and fails when it fires: a folder that is unavailable for a while must not end its schedules silently.
 */
export class WatchedPlaybooks {
  readonly #shell: ProjectShell;
  readonly #options: WhichOptions;
  readonly #log: Log;
  readonly #stamps = new Map<string, string>();
  #files: readonly OnFile[];
  /** The index of the file at which the next look begins. */
  #next = 0;
  #ticking: readonly (OnFile & Ticking)[];
  /** Files with a playbook that cannot be run. */
  readonly #broken = new Set<string>();
  /** Why the last look could not list the folders. */
  #unlisted: string | undefined;

  /** `leftOut` are the files of the folders that are not served. They are not read again until they change. */
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

  /**
   * Returns the schedules: the same list as before if nothing has changed. A look checks only some of thousands of files, because other work waits meanwhile.
   */
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

  /** The schedules as of the last look. */
  get ticking(): readonly (OnFile & Ticking)[] {
    return this.#ticking;
  }

  /** How many files contain a playbook that cannot be run now. */
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

  // We log that an edit counts only later, because somebody who added a channel would wait for its notifications.
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

  // We note the files' states again only if their list has changed. Otherwise an edit since we read them would be lost.
  #served(playbook: Playbook, seen: readonly string[]): OnFile {
    const served = onFile(this.#shell, this.#options, playbook);
    if (served.files.join() !== seen.join()) this.#isSeen(served.file, served.files);
    return served;
  }

  // If a folder cannot be listed, we log it once, because otherwise nobody would notice that added playbooks are missing.
  #listed(): readonly string[] {
    let why: string | undefined;
    const names = tried(
      () => namesOfPlaybooks(this.#shell, this.#options.files),
      (each) => (why = each),
    );
    if (why !== undefined && why !== this.#unlisted)
      this.#log("error", "playbook.unlisted", `${why}; until this is fixed, tokenbook does not notice added playbooks`);
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

  /** Returns whether files are unchanged since the last call. */
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

// A file system that is unavailable for a moment must not end a schedule.
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
