// Builds the extension for VS Code: one bundle with its manifest and texts in a .vsix, which is a zip with two files that describe it.
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { rolldown } from "rolldown";
import { bundledPackages, licencesOf } from "../bundled.ts";
import { ascii } from "../lighter.ts";
import { ABOUT, artefact, inFolder, ROOT } from "./place.ts";

const SOURCES = join(ROOT, "editor/vscode");

/** The fields of the extension's manifest that the package needs. */
interface Manifest {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly publisher: string;
  readonly categories: readonly string[];
  readonly engines: { readonly vscode: string };
}

/** The types of the files in the package. */
const TYPES = {
  cjs: "application/javascript",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
  vsixmanifest: "text/xml",
};

/** Builds the package. */
export async function makeVsix(): Promise<void> {
  await inFolder(async (folder) => {
    const manifest = await layExtension(join(folder, "extension"));
    writeFileSync(join(folder, "extension.vsixmanifest"), manifestOf(manifest));
    writeFileSync(join(folder, "[Content_Types].xml"), contentTypes());
    writeFileSync(artefact("vsix"), zipped(folder));
  });
}

/** Writes the extension into a folder as an editor installs it, and returns its manifest. */
export async function layExtension(folder: string): Promise<Manifest> {
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: { extension: join(SOURCES, "src/extension.ts") },
    platform: "node",
    external: (id) => id === "vscode" || id.startsWith("node:"),
    plugins: [ascii],
    logLevel: "warn",
  });
  const output = await bundle.write({ dir: join(folder, "dist"), format: "cjs", entryFileNames: "[name].cjs", comments: false });
  await bundle.close();
  // The sources are ES modules, but the bundle is not.
  const { type: _sources, ...manifest } = JSON.parse(readFileSync(join(SOURCES, "package.json"), "utf8")) as Manifest & {
    readonly type: string;
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, version: ABOUT.version }, undefined, 2)}\n`);
  cpSync(join(SOURCES, "README.md"), join(folder, "README.md"));
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE.txt"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licencesOf(bundledPackages([output])));
  return manifest;
}

// A fixed order and a fixed time make the package identical for the same sources, in every time zone.
function zipped(folder: string): Uint8Array {
  const paths = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  const files: Zippable = {};
  for (const path of paths.toSorted()) files[path.replaceAll("\\", "/")] = readFileSync(join(folder, path));
  return zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) });
}

function contentTypes(): string {
  const types = Object.entries(TYPES).map(([ending, type]) => `<Default Extension=".${ending}" ContentType="${type}"/>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types.join("")}</Types>
`;
}

function manifestOf({ name, displayName, description, publisher, categories, engines }: Manifest): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(name)}" Version="${ABOUT.version}" Publisher="${escaped(publisher)}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>yaml,debuggers,testing</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    ${asset("Code.Manifest", "package.json")}
    ${asset("Services.Content.Details", "README.md")}
    ${asset("Services.Content.License", "LICENSE.txt")}
  </Assets>
</PackageManifest>
`;
}

function asset(type: string, path: string): string {
  return `<Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${path}" Addressable="true"/>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
