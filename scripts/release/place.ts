// The folder of a release, and the functions that its parts share.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of the artefacts. */
export const RELEASE: string = join(ROOT, "release");

/** The fields of package.json. */
export const ABOUT = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The Node that `npm ci` installed, from which the binary is made. */
export const NODE: string = join(ROOT, "node_modules/node/bin/node");

/** The artefacts, by the name of the part that makes them. */
const ARTEFACTS = {
  package: `${ABOUT.name}-${ABOUT.version}.tgz`,
  binary: `${ABOUT.name}-${ABOUT.version}-linux-x64`,
  deb: `${ABOUT.name}_${ABOUT.version}_amd64.deb`,
  sbom: `${ABOUT.name}-${ABOUT.version}.cdx.json`,
  image: `${ABOUT.name}-${ABOUT.version}-image`,
  vsix: `${ABOUT.name}-${ABOUT.version}.vsix`,
  action: `${ABOUT.name}-${ABOUT.version}-action`,
};

export type PartName = keyof typeof ARTEFACTS;

/** Returns the path of an artefact. */
export function artefact(name: PartName): string {
  return join(RELEASE, ARTEFACTS[name]);
}

/** Runs a program to its end and returns its stdout. The output is shown only if the program fails. */
export function quietly(program: string, args: readonly string[], how: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): string {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8", ...how });
  if (status === 0) return stdout;
  const end = error?.message ?? `ended with ${status ?? signal}`;
  throw new Error(`${[program, ...args].join(" ")}: ${end}\n${stdout ?? ""}${stderr ?? ""}`);
}

/** Runs work with a new folder, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-release-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the timestamp for artefacts in seconds: that of the commit, so that two builds of it are the same. */
export function sourceDate(): string {
  return process.env["SOURCE_DATE_EPOCH"] ?? quietly("git", ["log", "-1", "--format=%ct"]).trim();
}

/** Creates the folder of the artefacts. */
export function makeFolder(): void {
  mkdirSync(RELEASE, { recursive: true });
}

/** Returns the size of a file, or of all files in a folder, for people. */
export function sizeOf(path: string): string {
  const files = statSync(path).isFile() ? [path] : globSync("**/*", { cwd: path }).map((file) => join(path, file));
  const bytes = files.map((file) => statSync(file)).reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  return bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
