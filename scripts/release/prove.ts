// npm run release:prove [-- PROOF…]: tests each artefact of `npm run release` in the way its users would use it.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { unzipSync } from "fflate";
import { SaxesParser } from "saxes";
import { IMAGE_USER } from "./image.ts";
import { ABOUT, artefact, inFolder, NODE, type PartName, quietly, RELEASE, ROOT, sizeOf } from "./place.ts";

const LOOK = `playbook: 1
name: Is it there?
steps: [{ id: status, uses: ledger.status }]
`;

const PASSED = /✓ passed {2}Is it there\?: 1 step: 1 ok in /;

// dpkg and chroot are in these folders, which may be missing in the user's PATH.
process.env["PATH"] += ":/usr/local/sbin:/usr/sbin:/sbin";

/** Each proof returns what it has shown. It throws if it fails, and returns a text that begins with "skipped" if it cannot run here. */
const PROOFS: Readonly<Record<string, () => Promise<string> | string>> = {
  package: provePackage,
  "package-stories": () => proveStories("package"),
  binary: proveBinary,
  "binary-stories": () => proveStories("binary"),
  "start-up": proveStartUp,
  deb: proveDeb,
  image: proveImage,
  vsix: proveVsix,
  reproducible: proveReproducible,
};

function vitest(
  command: string,
  files: readonly string[],
  more: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): void {
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--testTimeout=300000", ...files, ...more];
  quietly(NODE, args, {
    env: { ...process.env, TOKENBOOK_BIN: command, PATH: `${dirname(NODE)}:${process.env["PATH"]}`, ...variables },
  });
}

function provePackage(): Promise<string> {
  return inFolder((folder) => {
    const program = installed("package", folder);
    vitest(program, ["test/stories/documents.test.ts"], ["-t", "README.md"]);
    return "installed alone in an empty folder; the README's commands run with it";
  });
}

function proveBinary(): Promise<string> {
  return inFolder((folder) => {
    const program = installed("binary", folder);
    writeFileSync(join(folder, "look.yaml"), LOOK);
    const run = quietly(program, ["run", "look.yaml"], { cwd: folder, env: { HOME: folder, PATH: "" } });
    if (!PASSED.test(run)) throw new Error(run);
    return "runs in an empty folder, without Node on the PATH";
  });
}

/** Runs all stories of the suite with the installed command. Each command is a process, so this takes a quarter of an hour. */
function proveStories(part: "package" | "binary"): Promise<string> {
  return inFolder((folder) => {
    vitest(installed(part, folder), ["test/stories"]);
    return `all stories of the suite pass with the installed ${part}`;
  });
}

function installed(part: "package" | "binary", folder: string): string {
  if (part === "binary") {
    const program = join(folder, "tokenbook");
    cpSync(artefact("binary"), program);
    return program;
  }
  writeFileSync(join(folder, "package.json"), "{}");
  quietly("npm", ["install", "--offline", "--no-audit", "--no-fund", artefact("package")], { cwd: folder });
  const names = globSync("node_modules/*", { cwd: folder });
  if (names.length !== 1) throw new Error(`other packages came along: ${names.join(", ")}`);
  return join(folder, "node_modules/tokenbook/bin/tokenbook.js");
}

/** Measures commands of the package and the binary in turns, so that changes in load affect both. Returns the medians. */
function proveStartUp(): Promise<string> {
  return inFolder((folder) => {
    writeFileSync(join(folder, "look.yaml"), LOOK);
    const programs = [[NODE, join(ROOT, "bin/tokenbook.js")], [artefact("binary")]];
    const rows = [["--version"], ["check", "look.yaml"], ["run", "look.yaml"]].map((args) => {
      const times: [number[], number[]] = [[], []];
      for (let round = 0; round < 21; round++)
        for (const [at, [program = "", ...before]] of programs.entries()) {
          const start = performance.now();
          quietly(program, [...before, ...args], { cwd: folder, env: { HOME: folder } });
          times[at as 0 | 1].push(performance.now() - start);
        }
      const [ofPackage = 0, ofBinary = 0] = times.map((all) => all.toSorted((a, b) => a - b)[10] ?? 0);
      return `${args[0]} ${ofPackage.toFixed(0)} → ${ofBinary.toFixed(0)} ms (${(ofBinary / ofPackage).toFixed(2)} ×)`;
    });
    return `package → binary: ${rows.join(", ")}`;
  });
}

function proveDeb(): Promise<string> {
  return inFolder((folder) => {
    for (const path of ["var/lib/dpkg/info", "var/lib/dpkg/updates"]) mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, "var/lib/dpkg/status"), "");
    // Uses the C libraries of the machine, because nothing is installed in this root.
    const dpkg = [`--root=${folder}`, "--force-depends", "--force-not-root", `--log=${join(folder, "log")}`];
    quietly("dpkg", [...dpkg, "--install", artefact("deb")]);
    const program = join(folder, "usr/bin/tokenbook");
    quietly(program, ["--version"], { env: { HOME: folder, PATH: "" } });
    const page = quietly("man", ["--local-file", "--warnings", join(folder, "usr/share/man/man1/tokenbook.1.gz")]);
    if (!page.includes("tokenbook resume")) throw new Error("the man page has no commands");
    const completions = join(folder, "usr/share/bash-completion/completions/tokenbook");
    const completed = `source '${completions}'; COMP_LINE='tokenbook resu' COMP_POINT=14; __tokenbook_complete tokenbook resu; echo "$COMPREPLY"`;
    const env = { HOME: folder, PATH: `${dirname(program)}:/usr/bin:/bin` };
    if (quietly("bash", ["-c", completed], { env }).trim() !== "resume") throw new Error("bash completes nothing");
    quietly("dpkg", [...dpkg, "--purge", "tokenbook"]);
    const left = globSync("usr/**/*tokenbook*", { cwd: folder });
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
    return "installed, run, its man page and completions read, and removed without a trace";
  });
}

/** Runs the image's files like a container: with a read-only root, another user, and a volume. */
function proveImage(): Promise<string> | string {
  if (spawnSync("unshare", ["--mount", "true"]).status !== 0) return "skipped: a namespace of mounts needs root";
  return inFolder((folder) => {
    const root = join(artefact("image"), "root");
    mkdirSync(join(folder, "project"));
    writeFileSync(join(folder, "project/look.yaml"), LOOK);
    const [user] = IMAGE_USER.split(":");
    const script = `set -e
mount --bind '${root}' '${root}' && mount -o remount,ro,bind '${root}'
mount --bind '${folder}/project' '${root}/project' && mount -t tmpfs -o uid=${user},mode=700 none '${root}/state'
cd '${root}/project'
run() { HOME=/state chroot --userspec=${IMAGE_USER} '${root}' /usr/bin/tokenbook "$@"; }
run run /project/look.yaml --env sandbox --state /state/tokenbook
run runs --state /state/tokenbook
test -s '${root}/state/tokenbook/journal.db'
! chroot --userspec=${IMAGE_USER} '${root}' /usr/bin/tokenbook run /project/look.yaml --env sandbox 2> '${folder}/refused'`;
    const printed = quietly("unshare", ["--mount", "bash", "-c", script]);
    if (!PASSED.test(printed)) throw new Error(printed);
    return `its files run as user ${IMAGE_USER} in a read-only root, and keep the runs in the volume`;
  });
}

/** Installs the extension as an editor does, and runs the installed files with a simulated editor, because no editor is on this machine. */
function proveVsix(): Promise<string> {
  return inFolder((folder) => {
    const files = unzipSync(readFileSync(artefact("vsix")));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const text = (path: string): string => readFileSync(join(folder, path), "utf8");
    const assets: string[] = [];
    const parser = new SaxesParser();
    parser.on("opentag", ({ name, attributes }) => {
      if (name === "Asset") assets.push(attributes["Path"] ?? "");
      const wrong = name === "Identity" && attributes["Version"] !== ABOUT.version;
      if (wrong) throw new Error(`the package is of version ${attributes["Version"]}`);
    });
    parser.write(text("extension.vsixmanifest")).close();
    const { main, version } = JSON.parse(text("extension/package.json")) as { main: string; version: string };
    if (version !== ABOUT.version) throw new Error(`the extension is of version ${version}`);
    const types = text("[Content_Types].xml");
    const missing = [...assets, join("extension", main)].filter((path) => !existsSync(join(folder, path)));
    const untyped = Object.keys(files).filter((path) => path !== "[Content_Types].xml" && !types.includes(`"${extname(path)}"`));
    if (assets.length === 0 || missing.length + untyped.length > 0)
      throw new Error(`missing: ${missing.join(", ")}; of no type: ${untyped.join(", ")}`);
    const env = { TOKENBOOK_EXTENSION: join(folder, "extension") };
    vitest(join(ROOT, "bin/tokenbook.js"), ["test/editor/vscode.test.ts"], [], env);
    const shown = Object.keys(files).join(", ");
    return `holds ${shown}; its bundle starts the language server and the debugger, and the test explorer runs and debugs (skipped: VS Code itself is not on this machine)`;
  });
}

/** Builds the artefacts of this commit in two other folders, and compares each byte. */
function proveReproducible(): Promise<string> {
  const parts: readonly PartName[] = ["package", "binary", "deb", "sbom", "vsix"];
  return inFolder((folder) => {
    const made = ["one", "another, longer"].map((name) => {
      const clone = join(folder, name);
      quietly("git", ["clone", "--quiet", ROOT, clone]);
      cpSync(join(ROOT, "node_modules"), join(clone, "node_modules"), { recursive: true, verbatimSymlinks: true });
      quietly(NODE, ["scripts/release/release.ts", ...parts], { cwd: clone });
      return join(clone, "release");
    });
    const [first = "", second = ""] = made;
    const files = parts.map((part) => basename(artefact(part)));
    const different = files.filter((file) => !readFileSync(join(first, file)).equals(readFileSync(join(second, file))));
    if (different.length > 0) throw new Error(`built twice, different: ${different.join(", ")}`);
    return `built twice in two folders, the same to the byte: ${files.join(", ")}`;
  });
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(PROOFS, name));
if (unknown !== undefined || !existsSync(RELEASE)) {
  console.error(
    unknown === undefined
      ? "nothing is released\nnext: npm run release"
      : `no proof is called "${unknown}"\nnext: npm run release:prove -- ${Object.keys(PROOFS).join(" ")}`,
  );
  process.exit(2);
}
for (const [name, prove] of Object.entries(PROOFS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    console.log(`✓ ${name}: ${await prove()}`);
  } catch (error) {
    console.log(`✗ ${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
for (const file of globSync("*", { cwd: RELEASE }).toSorted()) console.log(`  ${file}  ${sizeOf(join(RELEASE, file))}`);
