import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { createFile } from "../../files/output.ts";
import type { Shell } from "../shell.ts";

/** Creates files and prints their names. If one of them exists, it creates none, and says what to do instead. */
export function createFiles(shell: Shell, root: string, files: Readonly<Record<string, string>>, instead?: string): void {
  const shown = (name: string): string => relative(shell.cwd, join(root, name));
  const there = Object.keys(files).filter((name) => existsSync(join(root, name)));
  if (there.length > 0) {
    throw new Failure({
      code: "new.exists",
      message: `${there.map(shown).join(", ")} ${there.length === 1 ? "exists" : "exist"} already`,
      why: "nothing is overwritten, and nothing was written",
      next: instead ?? (there.length === 1 ? "choose another name, or move it away" : "choose another folder, or move them away"),
    });
  }
  for (const [name, text] of Object.entries(files)) {
    write(join(root, name), text, shown(name));
    shell.stdout.write(`${shown(name)}\n`);
  }
}

function write(path: string, text: string, shown: string): void {
  const holdsKeys = basename(path) === ".env";
  try {
    createFile(path, text, holdsKeys ? 0o600 : 0o666);
  } catch (error) {
    throw new Failure({
      code: "file.unwritable",
      message: `${shown} cannot be written: ${messageOf(error)}`,
      next: "choose a folder in which you may write",
    });
  }
}
