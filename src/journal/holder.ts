import { statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/ports.ts";
import type { Holder } from "../protocol/record.ts";
import { readRegular } from "../files/regular.ts";
import { bootOfMachine } from "../files/uptime.ts";
import { makePrivateFolder, stateEntry } from "../files/state.ts";
import { FileLock, inodeAt, lockState, removeFree } from "../sqlite/lock.ts";

/**
 * Whether a process may still act. `silent`: it has shown no sign of life in a database for so long that others may take over what it holds.
 * `unknown`: it ran on another machine, so we cannot tell.
 */
export type Life = "alive" | "dead" | "silent" | "unknown";

/** Whether a process still owns what it holds. */
export function keepsHold(life: Life): boolean {
  return life === "alive" || life === "unknown";
}

/** Who this process is, and which others are alive. */
export interface Liveness {
  /** Returns this process as others see it. From the first call until it closes or ends, others can see that it is alive. */
  me(): Holder;
  /** Does the same for a caller that takes something in the present transaction, and also shows that this process is alive now. */
  taking(): Holder;
  /** Whether a holder is this process. */
  isMe(holder: Holder): boolean;
  /** Returns whether a holder may still act. */
  lifeOf(holder: Holder): Life;
  /** Whether others can see that this process is alive. If they cannot, they may take over what it holds. */
  isSeen(): boolean;
  /** Releases everything that this process holds. */
  close(): void;
}

const SUFFIX = ".lock";
const NAME_BYTES = 8;
// The file that the journal names is opened, so only such a name is accepted.
const LOCK_FILE = /^[0-9a-f]+\.lock$/;

/** The lock of this process in a state directory, and how many users of the directory share it. */
interface SharedLock {
  readonly lock: FileLock;
  readonly holder: Holder;
  users: number;
}

/** The locks that this process holds, by their folder. */
const shared = new Map<string, SharedLock>();

/**
 * The holders of a state directory. Each process that holds anything in it locks a file of its own there, so the kernel knows which of them
 * are alive (decision 75). Holders that earlier versions recorded have no such file, and are judged by host, boot and pid.
 */
export class Holders implements Liveness {
  /** The folder of the locks; `undefined` if the holds end with this process and nobody else can see them. */
  readonly #folder: string | undefined;
  #mine: SharedLock | undefined;

  constructor(stateDirectory: string | undefined) {
    this.#folder = stateDirectory === undefined ? undefined : stateEntry(stateDirectory, "holders", "look");
  }

  /** Returns this process as others see it. The first call takes its lock, and throws a Failure if that is impossible. */
  me(): Holder {
    if (this.#folder === undefined) return thisProcess();
    this.#mine ??= enter(this.#folder);
    return this.#mine.holder;
  }

  /** Does the same: the kernel knows at any time who is alive. */
  taking(): Holder {
    return this.me();
  }

  /** Returns whether a holder is this process. */
  isMe(holder: Holder): boolean {
    if (holder.lock === undefined) return isThisProcess(holder);
    return shared.values().some(({ holder: { lock } }) => isSameLock(lock, holder.lock));
  }

  /** Returns whether a holder may still act, judging by its lock, or by its host, boot and pid. */
  lifeOf(holder: Holder): Life {
    if (this.isMe(holder)) return "alive";
    const lock = this.#lockOf(holder);
    if (lock === "held") return "alive";
    if (!isOfThisKernel(holder)) return isOfThisHost(holder) ? "dead" : "unknown";
    if (lock === "free") return "dead";
    if (lock === "gone" && !isOfThisHost(holder)) return "dead"; // the holder itself, or a process that got its free lock, has removed the file
    if (lock === "unclear" || !isOfThisHost(holder)) return "unknown";
    // An earlier hold of this process, which it has released.
    if (holder.lock !== undefined && isThisProcess(holder)) return "dead";
    return isRunning(holder) ? "alive" : "dead";
  }

  /** Returns whether the file of this process's lock is still in its place; true if there is none yet. */
  isSeen(): boolean {
    return this.#mine?.lock.isInPlace ?? true;
  }

  /** Releases the lock of this process, unless it has other users. */
  close(): void {
    const mine = this.#mine;
    this.#mine = undefined;
    if (mine === undefined || this.#folder === undefined || --mine.users > 0) return;
    shared.delete(this.#folder);
    mine.lock.release();
  }

  // A file with another inode belongs to a copy of the state directory, so its lock says nothing about the holder.
  #lockOf({ lock }: Holder): "held" | "free" | "gone" | "foreign" | "unclear" | "none" {
    if (lock === undefined || this.#folder === undefined) return "none";
    if (!LOCK_FILE.test(lock.file)) return "unclear";
    const path = join(this.#folder, lock.file);
    const state = lockState(path);
    return state === "free" && inodeAt(path) !== lock.inode ? "foreign" : state;
  }
}

function enter(folder: string): SharedLock {
  const known = shared.get(folder);
  if (known !== undefined) {
    known.users++;
    return known;
  }
  makePrivateFolder(folder);
  removeFree(folder, LOCK_FILE);
  for (let tries = 0; tries < LIMITS.lockTries; tries++) {
    const file = `${Buffer.from(systemRandom.bytes(NAME_BYTES)).toString("hex")}${SUFFIX}`;
    const lock = FileLock.create(join(folder, file));
    if (lock === undefined) continue;
    const mine = { lock, holder: { ...thisProcess(), lock: { file, inode: lock.inode } }, users: 1 };
    shared.set(folder, mine);
    return mine;
  }
  throw new Failure({
    code: "journal.cannot-lock",
    message: `tokenbook cannot lock a file in ${folder}`,
    why: "other processes see by this lock that this process is alive; without it nothing is sent",
    next: "put the state directory on a local disk: --state DIR",
  });
}

function isSameLock(one: Holder["lock"], other: Holder["lock"]): boolean {
  return one !== undefined && one.file === other?.file && one.inode === other.inode;
}

let known: Holder | undefined;

/** Returns this process, distinguished from any other with the same pid. */
export function thisProcess(): Holder {
  known ??= {
    host: hostname(),
    bootId: bootOfMachine() ?? UNKNOWN,
    pid: process.pid,
    startedAt: statOf(process.pid).startedAt ?? UNKNOWN,
  };
  return known;
}

function isThisProcess(holder: Holder): boolean {
  const { host, bootId: boot, pid, startedAt } = thisProcess();
  return holder.host === host && holder.bootId === boot && holder.pid === pid && holder.startedAt === startedAt;
}

function isOfThisHost({ host }: Holder): boolean {
  return host === hostname();
}

// Containers share the boot id of their machine, whatever their host names are.
function isOfThisKernel(holder: Holder): boolean {
  const { bootId: boot } = thisProcess();
  return holder.bootId === boot && (boot !== UNKNOWN || isOfThisHost(holder));
}

/** Spells a holder: `process 4711 on this host`. */
export function spellHolder(holder: Holder): string {
  if (isOfThisHost(holder)) return `process ${holder.pid} on this host`;
  return `process ${holder.pid} on ${holder.host}${isOfThisKernel(holder) ? ", a container of this machine" : ""}`;
}

/** Returns how to stop a holder that is alive on this machine. Its pid is given only if that pid is visible here. */
export function howToStop(holder: Holder): string {
  const isSeenHere = isOfThisHost(holder) && isRunning(holder);
  return isSeenHere ? `stop it: kill ${holder.pid}` : `stop it: it is process ${holder.pid} in another container of this machine`;
}

// A visible process is gone if its pid is, or if the pid belongs to a later process or a zombie.
function isRunning(holder: Holder): boolean {
  if (!processExists(holder.pid)) return false;
  const { state, startedAt } = statOf(holder.pid);
  return !ENDED.has(state) && (startedAt ?? holder.startedAt) === holder.startedAt;
}

/** Whether the process of a holder ran on this host and is gone. False if we cannot tell. */
export function isGoneHere(holder: Holder): boolean {
  return isOfThisKernel(holder) && isOfThisHost(holder) && holder.space === processSpace() && !isRunning(holder);
}

/** Returns the process namespace of this process. Containers of one machine may share a host name, but not this. */
export function processSpace(): string | undefined {
  return statSync("/proc/self/ns/pid", { throwIfNoEntry: false })?.ino.toString();
}

// A process whose parent does not wait for it, such as an init that never does, keeps its pid as a zombie.
const ENDED: ReadonlySet<string> = new Set(["Z", "X", "x"]);

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

const UNKNOWN = "unknown";

// Returns the state and the start time in ticks since boot: fields 3 and 22 of /proc/PID/stat. The name before them may hold spaces and
// parentheses.
function statOf(pid: number): { readonly state: string; readonly startedAt: string | undefined } {
  const stat = read(`/proc/${pid}/stat`) ?? "";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startedAt: fields[19] };
}

function read(path: string): string | undefined {
  try {
    return readRegular({ path, name: path }, LIMITS.sourceBytes).toString("utf8");
  } catch {
    return undefined; // no /proc on this system
  }
}
