// Prepares the container image: its recipe, and everything that the recipe copies. The image itself is built only if a builder is available.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ABOUT, artefact, quietly, ROOT } from "./place.ts";

/** The user of the image's processes, who only owns the volume. */
export const IMAGE_USER = "65532:65532";

/** Writes the recipe's folder. Returns what was left out. */
export function makeImage(): string | undefined {
  const folder = artefact("image");
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(ROOT, "deploy/image"), folder, { recursive: true });
  mkdirSync(join(folder, "state"));
  const lay = (from: string, path: string): void => {
    mkdirSync(dirname(join(folder, "root", path)), { recursive: true });
    copyFileSync(from, join(folder, "root", path));
  };
  lay(artefact("binary"), "usr/bin/tokenbook");
  for (const library of librariesOf(artefact("binary"))) lay(library, library);
  for (const empty of ["root/etc", "root/project", "root/tmp", "root/state"]) mkdirSync(join(folder, empty), { recursive: true });
  writeFileSync(join(folder, "root/etc/passwd"), `tokenbook:x:${IMAGE_USER}:tokenbook:/state:/usr/bin/tokenbook\n`);
  if (spawnSync("buildah", ["--version"]).error !== undefined) return "not built: buildah is not on this machine";
  quietly("buildah", ["build", "--tag", `${ABOUT.name}:${ABOUT.version}`, folder]);
  return undefined;
}

/** Returns the paths of the shared libraries of a program. */
function librariesOf(program: string): readonly string[] {
  return [...quietly("ldd", [program]).matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}
