// Makes a single binary for Linux on x64. It is Node's single executable application, with the built files and compiled code inside.
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { artefact, inFolder, NODE, quietly, ROOT } from "./place.ts";

/** The mark in Node's executable that shows whether something was embedded. Node's documentation names it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const POSTJECT = join(ROOT, "node_modules/postject/dist/cli.js");

/** The commands whose compiled code the binary contains, because people use them most. The compiled code of other commands is cached in the user's folder. */
const COMPILED: readonly { readonly args: readonly string[]; readonly variables?: NodeJS.ProcessEnv; readonly kills?: true }[] = [
  { args: ["--version"] },
  { args: ["check", "sample.yaml"] },
  { args: ["plan", "sample.yaml"] },
  {
    // The mint is answered before the kill, because the handling of a lost answer would depend on the second in which the mint takes effect.
    args: ["run", "sample.yaml", "--key", "killed"],
    variables: { TOKENBOOK_FAILPOINT: "after:attempt.answered@mint" },
    kills: true,
  },
  { args: ["resume"] },
];

const SAMPLE = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with:
      name: Sample
      symbol: SMP
      behaviour: { decimal: 2, maxMintQuantity: "100.00", transferable: true, burnable: true }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "100.00" }
  - id: supply
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 100]
`;

/** V8 randomizes its hash tables. With a fixed seed, two builds are identical. */
const SEED = "--random-seed=1";

/**
 * Further flags that make two builds identical. The output of V8's baseline compiler depends on its timing, V8 records which functions it would compile early,
 * and its garbage collector drops functions depending on its timing. Which functions a command calls also depends on the random ids that it generates.
 */
const NO_CHANCE = [
  SEED,
  "--no-sparkplug",
  "--no-profile-guided-optimization",
  "--no-flush-bytecode",
  `--require=${join(ROOT, "scripts/release/without-chance.cjs")}`,
];

/** The bytes in which compiled code names the flags that it was made under. V8 rejects code of other flags, although these flags do not change the code. */
const HASH_OF_FLAGS = { at: 12, end: 16 };

/** Builds the binary. */
export async function makeBinary(): Promise<void> {
  await inFolder((folder) => {
    const assets = {
      ...filesOf("dist/{{cli,interchange,postgres}.cjs,chunks/*.cjs,checks/*.cjs}", ""),
      ...filesOf("library/*.yaml", "tokenbook/"),
      ...compiledCode(folder),
    };
    const [config, blob] = [join(folder, "config.json"), join(folder, "blob")];
    // The binary stores this path. A path relative to the root is the same on every machine.
    const main = "dist/binary.cjs";
    writeFileSync(
      config,
      JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets }),
    );
    quietly(NODE, [SEED, "--experimental-sea-config", config]);
    // Removes the symbol tables, which are only useful for debugging Node itself.
    quietly("strip", ["-o", artefact("binary"), NODE]);
    quietly(NODE, [POSTJECT, artefact("binary"), "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE]);
  });
}

function filesOf(pattern: string, prefix: string): Record<string, string> {
  const found = globSync(pattern, { cwd: ROOT }).toSorted();
  const files = Object.fromEntries(found.map((file) => [`${prefix}${basename(file)}`, join(ROOT, file)]));
  if (Object.keys(files).length < found.length) throw new Error(`two files of ${pattern} share a name`);
  return files;
}

/** Where the package is while its code is compiled. V8 stores file paths in compiled code, so the path must be the same in each build. */
const COMPILED_AT = "/tmp/tokenbook-compiled";

/** Returns the compiled code of the package's commands, by name in the binary. */
function compiledCode(folder: string): Record<string, string> {
  mkdirSync(COMPILED_AT, { mode: 0o700 }); // fails if another build is running, or if the folder belongs to somebody else
  try {
    for (const name of ["package.json", "bin", "dist", "library"])
      cpSync(join(ROOT, name), join(COMPILED_AT, name), { recursive: true });
    return codeAlikeInEachBuild(keptCode(join(folder, "usual"), []), keptCode(join(folder, "still"), NO_CHANCE));
  } finally {
    rmSync(COMPILED_AT, { recursive: true });
  }
}

function codeAlikeInEachBuild(usual: Record<string, string>, still: Record<string, string>): Record<string, string> {
  for (const [name, file] of Object.entries(still)) {
    const code = readFileSync(file);
    readFileSync(usual[name] ?? "").copy(code, HASH_OF_FLAGS.at, HASH_OF_FLAGS.at, HASH_OF_FLAGS.end);
    writeFileSync(file, code);
  }
  // The code of `run` differs between builds, depending on garbage collection. The code of `resume` contains nearly all of its functions.
  const shared = Object.entries(still).map(([name, file]) => [name.replace("/resume/", "/run/"), file] as const);
  return { ...Object.fromEntries(shared), ...still };
}

/** Runs the commands in a home folder of their own, and returns the code that they cache there. */
function keptCode(home: string, flags: readonly string[]): Record<string, string> {
  mkdirSync(home);
  writeFileSync(join(home, "sample.yaml"), SAMPLE);
  for (const { args, variables, kills = false } of COMPILED) {
    const env = { HOME: home, ...variables };
    const { status } = spawnSync(NODE, [...flags, join(COMPILED_AT, "bin/tokenbook.js"), ...args], { cwd: home, env });
    if ((status === 0) === kills) throw new Error(`tokenbook ${args.join(" ")} did not end as expected`);
  }
  const found = globSync(".cache/tokenbook/*/{none,check,plan,resume}/*", { cwd: home }).toSorted();
  return Object.fromEntries(found.map((file) => [`code/${file.split("/").slice(-2).join("/")}`, join(home, file)]));
}
