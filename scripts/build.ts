// Builds dist/: the command line and the library, each bundled with everything it needs, and the licences of the bundled packages.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type RolldownOutput, rolldown } from "rolldown";
import { bundledPackages, licencesOf } from "./bundled.ts";
import { fixedSchemas, prebuilt, writeChecks } from "./checks.ts";
import { ascii, isBuiltin, lighter } from "./lighter.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = join(root, "dist");
const LICENCES = "THIRD-PARTY-LICENSES.txt";
const PACKAGES = "packages.json";

/** The entry files that load the command line: one for the package, one for the single binary. */
const LOADERS = ["boot", "binary"] as const;

// Modules that are loaded together are bundled together, because each further file costs half a millisecond at every start (decision 28).
const GROUPS = [
  group(
    "base",
    [
      "src/base/(?!ports|text/difference|time/retry)",
      "src/cli/(?:print/(?:failure|hint|rewritten)|reporting/missing|program/command-path|shell|view/colour)",
      "src/report/formats/format\\.ts",
      "src/coverage/dimensions\\.ts",
      "src/files/embedded\\.ts",
      "package\\.json$",
    ],
    ["big.js", "fastest-levenshtein"],
  ),
  group(
    "playbook",
    [
      "base/text/difference",
      "schema",
      "expression",
      "contract",
      "source/(?!write-yaml)",
      "operations/(?!page)",
      "services",
      "sql/place",
      "playbook",
      "environment/(?!notifications)",
      "files/(?!output)",
      "protocol/(?:heading|record)",
      "cli/project/(?!watch)",
      "cli/runs/given-secrets",
      "cli/reason",
    ].map((name) => `src/${name}`),
    ["js-yaml", "@marcbachmann", "diff"],
  ),
  group(
    "journal",
    [
      "src/protocol/(?!event-schema)",
      "src/sql/(?!place)",
      "src/sqlite/",
      "src/postgres/(?!thread)",
      "src/state/",
      "src/journal/(?!archives/archive-)",
      "src/base/ports",
      "src/base/time/retry",
      "src/cli/runs/(?:not-moved|open-journal)",
    ],
    ["p-retry", "is-network-error"],
  ),
  group(
    "run",
    [
      "src/transport/",
      "src/engine/",
      "src/reconcile/",
      "src/exchanges/(?!read-har)",
      "src/rows/",
      "src/files/output",
      "src/report/(?:attempt|comparison|evidence|fanout|flaky|held|history|model|problem|settled|shape|text|words|steps/[\\w-]+|formats/(?:cases|foreign-text|json))\\.ts",
      "src/cli/(?:runs/(?:done-since|one-key|perform|session|run-queue|prepare-playbooks|resuming|submitted-before)|print/(?:debug|masked)|crash/(?:course|failpoint)|view/(?!live|colour))",
    ],
    ["undici"],
  ),
  group("planning", ["src/planner/", "src/report/plan/", "src/cli/runs/planning"], []),
];

/** Returns a chunk of our own sources, given by the beginnings of their paths, and of packages. */
function group(
  name: string,
  sources: readonly string[],
  packages: readonly string[],
): { name: string; test: (id: string) => boolean } {
  const own = new RegExp(`^(?:${sources.join("|")})`);
  const foreign = new RegExp(`/node_modules/(?:${packages.join("|") || "-"})/`);
  return { name, test: (id) => foreign.test(id) || (!id.includes("/node_modules/") && own.test(relative(root, id))) };
}

const checks = await writeChecks(fixedSchemas(), join(dist, "checks"));
const bundle = await rolldown({
  input: {
    cli: join(root, "src/cli/main.ts"),
    index: join(root, "src/index.ts"),
    interchange: join(root, "src/interchange/check.ts"),
  },
  platform: "node",
  external: isBuiltin,
  plugins: [prebuilt, lighter, ascii],
  // An entry may then export what a chunk of the groups needs from it.
  preserveEntrySignatures: "allow-extension",
  logLevel: "warn",
});
const output = await bundle.write({
  dir: dist,
  // The output is CommonJS, because code that compiles modules itself, such as boot.ts, needs that.
  format: "cjs",
  strict: true,
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS },
  minify: false,
  comments: false,
});
await bundle.close();
assertNoCircles(output);
const thread = await buildThread();
await buildLoaders(output, checks, thread);
const packages = bundledPackages([output, checks, thread]);
writeFileSync(join(dist, LICENCES), licencesOf(packages));
writeFileSync(
  join(dist, PACKAGES),
  `${JSON.stringify(packages.map(({ name, version, license }) => ({ name, version, license })))}\n`,
);
removeStale(".", [
  ...namesOf(output),
  ...namesOf(thread),
  ...LOADERS.map((name) => `${name}.cjs`),
  LICENCES,
  PACKAGES,
  "chunks",
  "checks",
  "types",
]);
removeStale("chunks", namesOf(output));
removeStale("checks", namesOf(checks));
if (!process.argv.includes("--no-types")) {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")], {
    stdio: "inherit",
  });
}

// The thread gets no cached compiled code, so it is bundled into one file with only what it needs.
async function buildThread(): Promise<RolldownOutput> {
  const built = await rolldown({
    input: join(root, "src/postgres/thread.ts"),
    platform: "node",
    external: isBuiltin,
    plugins: [prebuilt, lighter, ascii],
  });
  const written = await built.write({
    format: "cjs",
    strict: true,
    file: join(dist, "postgres.cjs"),
    codeSplitting: false,
    comments: false,
  });
  await built.close();
  return written;
}

// The loader contains a hash of the code that it loads, so compiled code of one build is never used for another.
async function buildLoaders(...built: readonly RolldownOutput[]): Promise<void> {
  const codes = built.flatMap((each) => each.output.map((file) => (file.type === "chunk" ? file.code : "")));
  const BUILD = JSON.stringify(hash("sha256", codes.join("\0")).slice(0, 16));
  for (const name of LOADERS) {
    const loader = await rolldown({
      input: join(root, `src/boot/${name}.ts`),
      platform: "node",
      transform: { define: { BUILD } },
    });
    await loader.write({ dir: dist, format: "cjs", strict: true, entryFileNames: "[name].cjs" });
    await loader.close();
  }
}

// If two files load each other, one of them sees the other half initialized. Such a cycle appears if a group lacks a folder of its sources.
function assertNoCircles({ output: files }: RolldownOutput): void {
  const imports = new Map(files.map((file) => [file.fileName, file.type === "chunk" ? file.imports : []]));
  for (let before = Infinity; imports.size < before;) {
    before = imports.size;
    const needed = new Set([...imports.values()].flat());
    for (const [name, loaded] of imports)
      if (!needed.has(name) || !loaded.some((each) => imports.has(each))) imports.delete(name);
  }
  if (imports.size > 0) throw new Error(`files of the build load each other in a circle: ${[...imports.keys()].join(", ")}`);
}

function namesOf({ output: files }: RolldownOutput): readonly string[] {
  return files.map(({ fileName }) => basename(fileName));
}

// Files of an earlier build are removed last, so that a running command still finds everything it needs.
function removeStale(folder: string, fresh: readonly string[]): void {
  const kept = new Set(fresh);
  for (const file of readdirSync(join(dist, folder))) if (!kept.has(file)) rmSync(join(dist, folder, file), { recursive: true });
}
