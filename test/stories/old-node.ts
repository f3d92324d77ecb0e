import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** A Node of this machine that is too old for tokenbook; `undefined` if there is none. */
export function oldNode(): { readonly path: string; readonly version: string } | undefined {
  return ["/usr/local/bin/node", "/usr/bin/node"]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim().slice(1) }))
    .find(({ version }) => Number.parseInt(version, 10) < 24);
}
