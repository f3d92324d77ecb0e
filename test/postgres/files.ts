import { rmSync } from "node:fs";
import { BINARIES, FILES_OF_NEW, serverFolder } from "./server.ts";

/** Makes the folder in which all servers of the tests find the files of a new one; the first of them lays them there. */
export function setup(): (() => void) | undefined {
  if (BINARIES === undefined) return undefined;
  const folder = serverFolder();
  process.env[FILES_OF_NEW] = folder;
  return () => rmSync(folder, { recursive: true });
}
