import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Holder } from "../protocol/record.ts";

let known: Holder | undefined;

/** This process, told apart from any other that may bear its pid. */
export function thisProcess(): Holder {
  known ??= { host: hostname(), bootId: bootId(), pid: process.pid, startedAt: statOf(process.pid).startedAt ?? "unknown" };
  return known;
}

/** Whether a holder is this process. */
export function isThisProcess(holder: Holder): boolean {
  const { host, bootId: boot, pid, startedAt } = thisProcess();
  return holder.host === host && holder.bootId === boot && holder.pid === pid && holder.startedAt === startedAt;
}

/** Whether a holder is of a host of which we can tell who lives. */
export function isOfThisHost(holder: Holder): boolean {
  return holder.host === hostname();
}

/** A holder in words: `process 4711 on this host`. */
export function spellHolder(holder: Holder): string {
  return `process ${holder.pid} on ${isOfThisHost(holder) ? "this host" : holder.host}`;
}

/**
 * Whether a holder may still act. Only what is provably dead is free: a process of another host is taken for alive, and one
 * of this host is dead when the machine was started anew, the pid is gone, belongs to a later process, or is a zombie's.
 */
export function isAlive(holder: Holder): boolean {
  if (isThisProcess(holder) || !isOfThisHost(holder)) return true;
  if (holder.bootId !== bootId()) return false;
  if (!processExists(holder.pid)) return false;
  const { state, startedAt } = statOf(holder.pid);
  return !ENDED.has(state) && (startedAt ?? holder.startedAt) === holder.startedAt;
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

function bootId(): string {
  return read("/proc/sys/kernel/random/boot_id")?.trim() ?? "unknown";
}

// Fields 3 and 22 of /proc/PID/stat: the state, and ticks since boot. The name before them may hold spaces and parentheses.
function statOf(pid: number): { readonly state: string; readonly startedAt: string | undefined } {
  const stat = read(`/proc/${pid}/stat`) ?? "";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startedAt: fields[19] };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // no /proc on this system
  }
}
