import type { Stats } from "node:fs";

/** Describes the kind of an entry that is not a regular file; `undefined` for a regular file. */
export function oddKindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isSymbolicLink()) return "a link";
  if (stats.isDirectory()) return "a folder";
  if (stats.isSocket()) return "a socket";
  return stats.isFIFO() ? "a pipe" : "a device";
}
