// What Linux reports about processes. A process may end at any moment. After that, there is nothing to read about it.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Returns a file below `/proc/PID`; empty if the process or the thread has ended, or the system has no `/proc`. */
function fileOf(pid: number, path: string): string {
  try {
    return readFileSync(`/proc/${pid}/${path}`, "utf8");
  } catch (error) {
    return emptyWhenEnded(error, "");
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch (error) {
    return emptyWhenEnded(error, []);
  }
}

function emptyWhenEnded<T>(error: unknown, empty: T): T {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ESRCH") return empty;
  throw error;
}

/** Returns whether a signal has stopped the process. */
export function isStopped(pid: number): boolean {
  return /^State:\s*T/m.test(fileOf(pid, "status"));
}

/** Returns whether the process has not yet received a signal that was sent to it. Another signal of the same kind would be lost. */
export function hasPendingSignal(pid: number): boolean {
  return /^(?:SigPnd|ShdPnd):\s*0*[1-9a-f]/m.test(fileOf(pid, "status"));
}

/** Returns the descendants of a process, by their ids on this machine. */
export function below(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    fileOf(pid, `task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...below(child)]);
}

/** Returns the CPU time of a process, in hundredths of a second. */
export function computed(pid: number): number {
  // The name, which precedes the fields, may contain spaces and parentheses.
  const [user = "0"] = fileOf(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ")
    .slice(11);
  return Number(user);
}

/** Returns how many connections to a port a process has open. */
export function connectionsTo(port: number, pid: number): number {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`)));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "latin1")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows.filter((row) => row[2]?.endsWith(remote) === true && sockets.has(`socket:[${row[9]}]`)).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    return emptyWhenEnded(error, "");
  }
}
