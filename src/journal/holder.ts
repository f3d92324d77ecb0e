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

/** Whether what a process holds is still its own. */
export function keepsHold(life: Life): boolean {
  return life === "alive" || life === "unknown";
}

/** Who this process is, and which others live. */
export interface Liveness {
  /** This process, as others find it: from the first call on, until it closes or ends, they can see that it is alive. */
  me(): Holder;
  /** The same for whoever takes something in the present transaction, which also shows that this process is alive now. */
  taking(): Holder;
  /** Whether a holder is this process. */
  isMe(holder: Holder): boolean;
  /** Returns whether a holder may still act. */
  lifeOf(holder: Holder): Life;
  /** Whether others can see that this process is alive: where they cannot, they may take over what it holds. */
  isSeen(): boolean;
  /** This process holds nothing any more. */
  close(): void;
}

const SUFFIX = ".lock";
const NAME_BYTES = 8;
// What the journal names is opened, so it can only be one of these.
const LOCK_FILE = /^[0-9a-f]+\.lock$/;

/** The lock of this process in a state directory, and how many users of the directory share it. */
interface Shared {
  readonly lock: FileLock;
  readonly holder: Holder;
  users: number;
}

/** The locks that this process holds, by their folder. */
const shared = new Map<string, Shared>();

/**
 * The holders of a state directory. Each process that holds anything in it keeps a lock on a file of its own there, so the kernel knows which
 * of them are alive (decision 75). Holders that earlier versions recorded have no such file, and are judged by host, boot and pid.
 */
export class Holders implements Liveness {
  /** `undefined`: what is held ends with this process, and nobody else can see it. */
  readonly #folder: string | undefined;
  #mine: Shared | undefined;

  constructor(stateDirectory: string | undefined) {
    this.#folder = stateDirectory === undefined ? undefined : stateEntry(stateDirectory, "holders", "look");
  }

  /** Returns this process as others find it. The first call takes its lock, and throws a Failure when none can be had. */
  me(): Holder {
    if (this.#folder === undefined) return thisProcess();
    this.#mine ??= enter(this.#folder);
    return this.#mine.holder;
  }

  /** Returns the same: the kernel knows at any moment who is alive. */
  taking(): Holder {
    return this.me();
  }

  /** Returns whether a holder is this process. */
  isMe(holder: Holder): boolean {
    if (holder.lock === undefined) return isThisProcess(holder);
    return shared.values().some(({ holder: { lock } }) => isSameLock(lock, holder.lock));
  }

  /** Returns whether a holder may still act, by its lock, or by its host, boot and pid. */
  lifeOf(holder: Holder): Life {
    if (this.isMe(holder)) return "alive";
    const lock = this.#lockOf(holder);
    if (lock === "held") return "alive";
    if (!isOfThisKernel(holder)) return isOfThisHost(holder) ? "dead" : "unknown";
    if (lock === "free") return "dead";
    if (lock === "gone" && !isOfThisHost(holder)) return "dead"; // whoever had its lock removed it
    if (lock === "unclear" || !isOfThisHost(holder)) return "unknown";
    // An earlier life of this process, which it has released.
    if (holder.lock !== undefined && isThisProcess(holder)) return "dead";
    return isRunning(holder) ? "alive" : "dead";
  }

  /** Returns whether the file of this process's lock is still in its place; true before there is one. */
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

  // A file of another inode belongs to a copy of the state directory: its lock says nothing of the holder.
  #lockOf({ lock }: Holder): "held" | "free" | "gone" | "foreign" | "unclear" | "none" {
    if (lock === undefined || this.#folder === undefined) return "none";
    if (!LOCK_FILE.test(lock.file)) return "unclear";
    const path = join(this.#folder, lock.file);
    const state = lockState(path);
    return state === "free" && inodeAt(path) !== lock.inode ? "foreign" : state;
  }
}

function enter(folder: string): Shared {
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
    message: `no lock can be had in ${folder}`,
    why: "by it other processes see that this one is alive; without it nothing is sent",
    next: "put the state directory on a local disk: --state DIR",
  });
}

function isSameLock(one: Holder["lock"], other: Holder["lock"]): boolean {
  return one !== undefined && one.file === other?.file && one.inode === other.inode;
}

let known: Holder | undefined;

/** This process, distinguished from any other with the same pid. */
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

// Containers share their machine's boot id, whatever their host names are.
function isOfThisKernel(holder: Holder): boolean {
  const { bootId: boot } = thisProcess();
  return holder.bootId === boot && (boot !== UNKNOWN || isOfThisHost(holder));
}

/** A holder in words: `process 4711 on this host`. */
export function spellHolder(holder: Holder): string {
  if (isOfThisHost(holder)) return `process ${holder.pid} on this host`;
  return `process ${holder.pid} on ${holder.host}${isOfThisKernel(holder) ? ", a container of this machine" : ""}`;
}

/** How to stop a holder that is alive on this machine: its pid means it only where it can be seen by it. */
export function howToStop(holder: Holder): string {
  const isSeenHere = isOfThisHost(holder) && isRunning(holder);
  return isSeenHere ? `stop it: kill ${holder.pid}` : `stop it: it is process ${holder.pid} in another container of this machine`;
}

// Of a process that can be seen here: it is gone when its pid is, belongs to a later process, or is a zombie's.
function isRunning(holder: Holder): boolean {
  if (!processExists(holder.pid)) return false;
  const { state, startedAt } = statOf(holder.pid);
  return !ENDED.has(state) && (startedAt ?? holder.startedAt) === holder.startedAt;
}

/** Whether a holder's process ran on this host and is gone. False where that cannot be known. */
export function isGoneHere(holder: Holder): boolean {
  return isOfThisKernel(holder) && isOfThisHost(holder) && holder.space === processSpace() && !isRunning(holder);
}

/** The process namespace of this process: containers of one machine may share a host name, but not this. */
export function processSpace(): string | undefined {
  return statSync("/proc/self/ns/pid", { throwIfNoEntry: false })?.ino.toString();
}

// A process that nobody waits for, as under an init that does not, keeps its pid as a zombie.
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

// Fields 3 and 22 of /proc/PID/stat: the state, and ticks since boot. The name before them may hold spaces and parentheses.
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
