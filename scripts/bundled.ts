// Finds the packages in a build from the modules that the bundler has used.
import { readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { RolldownOutput } from "rolldown";

/** A package that is bundled at least in part. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Found extends BundledPackage {
  readonly folder: string;
}

/** Returns the bundled packages, ordered by their folders. */
export function bundledPackages(built: readonly RolldownOutput[]): readonly Found[] {
  const chunks = built.flatMap((each) => each.output);
  const modules = chunks.flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
  return [...new Set(modules.flatMap((id) => folderOf(id) ?? []))].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as BundledPackage;
    return { name, version, license, folder };
  });
}

/** Returns the licence texts of packages. */
export function licencesOf(packages: readonly Found[]): string {
  return packages.map(licence).join("\n\n");
}

function folderOf(id: string): string | undefined {
  const at = id.lastIndexOf("node_modules/");
  if (at < 0 || !isAbsolute(id)) return undefined;
  const parts = id.slice(at + "node_modules/".length).split("/");
  const name = parts[0]?.startsWith("@") === true ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
  return join(id.slice(0, at), "node_modules", name);
}

function licence({ name, version, license, folder }: Found): string {
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n${"=".repeat(72)}\n${text || "Its package has no text of the licence."}`;
}
