import { uptime } from "node:os";
import { LIMITS } from "../base/limits.ts";
import type { Uptime } from "../base/uptime.ts";
import { readRegular } from "./regular.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

let known: { readonly boot: string | undefined } | undefined;

/** Returns the kernel's id for this boot of the machine; `undefined` if there is none. */
export function bootOfMachine(): string | undefined {
  known ??= { boot: readBoot() };
  return known.boot;
}

/** Returns how long this machine has been running; `undefined` if its boot has no id. */
export function uptimeOfMachine(): Uptime | undefined {
  const boot = bootOfMachine();
  return boot === undefined ? undefined : { boot, ms: Math.round(uptime() * 1_000) };
}

function readBoot(): string | undefined {
  try {
    return readRegular({ path: BOOT_ID, name: BOOT_ID }, LIMITS.sourceBytes).toString("utf8").trim();
  } catch {
    return undefined; // this system has no /proc
  }
}
