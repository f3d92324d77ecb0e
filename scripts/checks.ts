// Compiles the validators of all fixed schemas at build time, so that a command neither loads the compiler nor waits for it.
import { LAUNCH } from "../src/cli/debug/launch-arguments.ts";
import { REQUEST_ARGUMENTS } from "../src/cli/debug/request-arguments.ts";
import { MESSAGE_PARAMS } from "../src/cli/lsp/message-params.ts";
import { TOOL_WORDS } from "../src/cli/mcp/tool-words.ts";
import { fileURLToPath } from "node:url";
import standalone from "ajv/dist/standalone/index.js";
import { type Plugin, rolldown, type RolldownOutput } from "rolldown";
import { contract } from "../src/contract/contract.ts";
import { ARAZZO } from "../src/interchange/arazzo-schema.ts";
import { environmentSchema } from "../src/environment/schema.ts";
import planSchema from "../schemas/plan.schema.json" with { type: "json" };
import { ARCHIVE_LINE } from "../src/journal/archives/archive-file.ts";
import { operations } from "../src/operations/operation.ts";
import { inputFrame, inputPartFrame, playbookFrame, stepFrame } from "../src/playbook/keywords/frame.ts";
import { withSchema } from "../src/playbook/steps/call-input.ts";
import { recordSchema } from "../src/protocol/event-schema.ts";
import { DIALECT } from "../src/sandbox/dialect.ts";
import { FAULTS } from "../src/sandbox/faults/plan.ts";
import { SEED } from "../src/sandbox/seed/read.ts";
import type { DocumentShape, SandboxDocument } from "../src/sandbox/shape.ts";
import { fixedCompiler } from "../src/schema/compile.ts";
import { keyOf } from "../src/schema/prebuilt.ts";
import { inlined } from "../src/schema/reference.ts";

const SANDBOX_DOCUMENTS: Readonly<Record<SandboxDocument, DocumentShape>> = {
  "the seed": SEED,
  "the fault plan": FAULTS,
  "the dialect": DIALECT,
};

/** Returns every schema with which the command line and the library validate values. */
export function fixedSchemas(): readonly object[] {
  const ofCalls = Object.values(contract.operations).flatMap(({ body, response, parameters }) =>
    [body, response, ...parameters.map(({ schema }) => schema)].filter((schema) => schema !== undefined),
  );
  const ofSteps = [...operations.values()].flatMap((operation) =>
    operation.batches ? [withSchema(operation, false), withSchema(operation, true)] : [withSchema(operation, false)],
  );
  return [
    playbookFrame,
    stepFrame,
    inputFrame(),
    inputPartFrame(),
    environmentSchema,
    planSchema,
    ...Object.values(TOOL_WORDS).map(({ input }) => input),
    LAUNCH,
    ...Object.values(REQUEST_ARGUMENTS),
    ...Object.values(MESSAGE_PARAMS),
    ARAZZO,
    ARCHIVE_LINE,
    recordSchema,
    ...Object.values(SANDBOX_DOCUMENTS).map(({ schema }) => schema),
    ...ofCalls,
    ...ofSteps,
  ];
}

/** Writes the validator of each schema to its own file, named after the schema's key, so that a command loads only the few that it needs. */
export async function writeChecks(schemas: readonly object[], folder: string): Promise<RolldownOutput> {
  const byKey = new Map(schemas.map((schema) => [keyOf(schema), schema]));
  const different = new Set(schemas.map((schema) => JSON.stringify(schema))).size;
  if (byKey.size !== different) throw new Error("two schemas share a key");
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL("../", import.meta.url)),
    // This includes the compiler itself, for schemas that users write, and the libraries that few playbooks need.
    input: {
      ...Object.fromEntries([...byKey.keys()].map((key) => [key, CHECK + key])),
      user: path("schema/compile.ts"),
      ...Object.fromEntries(LATE.map(({ library, name }) => [name, library])),
    },
    platform: "node",
    plugins: [
      {
        name: "checks",
        resolveId: (id) => (id.startsWith(CHECK) ? id : undefined),
        load: (id) => (id.startsWith(CHECK) ? codeOf(byKey.get(id.slice(CHECK.length)) ?? {}) : undefined),
      },
    ],
  });
  const output = await bundle.write({
    dir: folder,
    format: "cjs",
    exports: "named",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
  });
  await bundle.close();
  return output;
}

const CHECK = "check:";

/** Libraries that are loaded on first use, and the modules that import them. */
const LATE = [
  { library: "croner", name: "croner", door: "base/time/cron" },
  { library: "re2js", name: "re2js", door: "expression/pattern" },
  { library: "csv-parse/sync", name: "csv-parse", door: "source/csv" },
  { library: "csv-parse", name: "csv-stream", door: "source/csv" },
  { library: "@babel/code-frame", name: "code-frame", door: "source/diagnostic" },
];

function codeOf(schema: object): string {
  const ajv = fixedCompiler({ source: true, esm: true });
  const check = ajv.compile(inlined({ root: schema, shared: new Map([["contract", contract]]) }));
  return standalone.default(ajv, check).replace(/export default \w+;/, "");
}

/** Makes the bundle look up these validators instead of compiling them, and load rarely used libraries from here. */
export const prebuilt: Plugin = {
  name: "prebuilt",
  load: (id) =>
    id === path("schema/compile.ts")
      ? `export { find as compile, compileUser, checkUser } from ${JSON.stringify(path("schema/prebuilt.ts"))};`
      : undefined,
  transform: (code, id) => {
    const late = LATE.filter(({ door }) => id === path(`${door}.ts`));
    if (late.length === 0) return undefined;
    return late.reduce((text, { library, name }) => text.replace(`load("${library}")`, `load("#checks/${name}")`), code);
  },
};

function path(name: string): string {
  return fileURLToPath(new URL(`../src/${name}`, import.meta.url));
}
