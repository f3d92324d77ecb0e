import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Holder } from "../protocol/record.ts";

let known: Holder | undefined;

/** This process, told apart from any other that may bear its pid. */
export function thisProcess(): Holder {
  known ??= { host: hostname(), bootId: bootId(), pid: process.pid, startedAt: startOf(process.pid) ?? "unknown" };
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
 * of this host is dead when the machine was started anew, the pid is gone, or the pid belongs to a later process.
 */
export function isAlive(holder: Holder): boolean {
  if (isThisProcess(holder) || !isOfThisHost(holder)) return true;
  if (holder.bootId !== bootId()) return false;
  return processExists(holder.pid) && (startOf(holder.pid) ?? holder.startedAt) === holder.startedAt;
}

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

// Field 22 of /proc/PID/stat: ticks since boot. The name before it may hold spaces and parentheses.
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // no /proc on this system
  }
}
