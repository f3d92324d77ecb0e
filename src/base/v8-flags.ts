import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The version of V8 whose flags we have tried. Another version might not know one, and would print an error at each command. */
const TRIED = "13.6.";

/** Sets flags of V8 that make tokenbook faster, only for the version that we know. */
export function setV8Flags(flags: string): void {
  if (process.versions.v8.startsWith(TRIED)) setFlagsFromString(flags);
}

/** Collects all garbage, which V8 does by itself only when the heap has grown to several times of what is in use. Does nothing with another version. */
export function collectGarbage(): void {
  setV8Flags("--expose-gc");
  (runInNewContext("globalThis.gc") as (() => void) | undefined)?.();
}
