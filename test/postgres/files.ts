import { rmSync } from "node:fs";
import { BINARIES, FILES_OF_NEW, serverFolder } from "./server.ts";

/**
 * Makes the folder in which all test servers find the files of a new server. The first test server puts the files there. Commands under test remember
 * there what they have written to servers.
 */
export function setup(): (() => void) | undefined {
  if (BINARIES === undefined) return undefined;
  const folder = serverFolder();
  process.env[FILES_OF_NEW] = folder;
  process.env["XDG_STATE_HOME"] = folder;
  return () => rmSync(folder, { recursive: true });
}
