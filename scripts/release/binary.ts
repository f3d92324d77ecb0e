// One binary for Linux on x64: Node's single executable application, with the built files and compiled code inside.
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { artefact, inFolder, NODE, quietly, ROOT } from "./place.ts";

/** The mark in Node's own program that says whether something has been put inside; Node's documentation names it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const POSTJECT = join(ROOT, "node_modules/postject/dist/cli.js");

/** What makes the compiled code that the binary brings, of the commands that people wait for most. Others keep theirs in the user's folder. */
const COMPILED: readonly { readonly args: readonly string[]; readonly variables?: NodeJS.ProcessEnv; readonly kills?: true }[] = [
  { args: ["--version"] },
  { args: ["check", "sample.yaml"] },
  { args: ["plan", "sample.yaml"] },
  {
    // The mint has its answer before the kill: how a lost one is judged depends on the second in which it takes effect.
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

/** V8 scatters its tables by chance. With a seed, two builds are alike. */
const SEED = "--random-seed=1";

/**
 * What else makes two builds alike. V8's baseline compiler leaves traces of when it ran, V8 notes which functions it would compile early,
 * and its collector drops functions by when it runs. Which functions a command calls also depends on the ids that it draws.
 */
const NO_CHANCE = [
  SEED,
  "--no-sparkplug",
  "--no-profile-guided-optimization",
  "--no-flush-bytecode",
  `--require=${join(ROOT, "scripts/release/without-chance.cjs")}`,
];

/** Where compiled code says under which flags it was made. V8 takes none of other flags, and these change no code. */
const HASH_OF_FLAGS = { at: 12, end: 16 };

/** Makes the binary. */
export async function makeBinary(): Promise<void> {
  await inFolder((folder) => {
    const assets = {
      ...filesOf("dist/{{cli,interchange,postgres}.cjs,chunks/*.cjs,checks/*.cjs}", ""),
      ...filesOf("library/*.yaml", "tokenbook/"),
      ...compiledCode(folder),
    };
    const [config, blob] = [join(folder, "config.json"), join(folder, "blob")];
    // The binary keeps this path: from the root it is the same on every machine.
    const main = "dist/binary.cjs";
    writeFileSync(
      config,
      JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets }),
    );
    quietly(NODE, [SEED, "--experimental-sea-config", config]);
    // Without its tables of symbols, which serve who debugs Node itself.
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

/** Where the package is while its code is compiled. V8 keeps the paths of files in their code, so they are the same in each build. */
const COMPILED_AT = "/tmp/tokenbook-compiled";

/** Returns the code that the package's commands keep, by its name in the binary. */
function compiledCode(folder: string): Record<string, string> {
  mkdirSync(COMPILED_AT, { mode: 0o700 }); // it fails where another build is under way, or somebody else's folder
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
  // The code of `run` differs from build to build, by when it collects garbage; that of `resume` has nearly all of its functions.
  const shared = Object.entries(still).map(([name, file]) => [name.replace("/resume/", "/run/"), file] as const);
  return { ...Object.fromEntries(shared), ...still };
}

/** Runs the commands in a home of their own, and returns what they keep there. */
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
