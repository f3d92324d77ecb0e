import { uptime } from "node:os";
import { LIMITS } from "../base/limits.ts";
import type { Uptime } from "../base/uptime.ts";
import { readRegular } from "./regular.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

let known: { readonly boot: string | undefined } | undefined;

/** Returns what the kernel calls this start of the machine; `undefined` where it has no name for it. */
export function bootOfMachine(): string | undefined {
  known ??= { boot: readBoot() };
  return known.boot;
}

/** Returns for how long this machine has been running; `undefined` where its start has no name. */
export function uptimeOfMachine(): Uptime | undefined {
  const boot = bootOfMachine();
  return boot === undefined ? undefined : { boot, ms: Math.round(uptime() * 1_000) };
}

function readBoot(): string | undefined {
  try {
    return readRegular({ path: BOOT_ID, name: BOOT_ID }, LIMITS.sourceBytes).toString("utf8").trim();
  } catch {
    return undefined; // no /proc on this system
  }
}
