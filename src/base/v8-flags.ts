import { setFlagsFromString } from "node:v8";

/** The version of V8 whose flags we have tried. Any other might not know one, and would print an error at each command. */
const TRIED = "13.6.";

/** Sets flags of V8, where it is the one that we know. They only make tokenbook faster, so another V8 does without. */
export function setV8Flags(flags: string, version: string = process.versions.v8): void {
  if (version.startsWith(TRIED)) setFlagsFromString(flags);
}
