// Runs a playbook with tokenbook, and its export with Redocly Respect, each on its own sandbox. Compares what the two committed.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { exportPlaybook } from "../../src/interchange/export/export-playbook.ts";
import { importArazzo } from "../../src/interchange/import/import-arazzo.ts";
import { LOST } from "../../src/interchange/findings.ts";
import { parseJson } from "../../src/base/json/json.ts";
import { filesOf } from "../../src/cli/project/project-files.ts";
import type { FaultPlan } from "../../src/sandbox/faults/plan.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Diagnostic } from "../../src/source/diagnostic.ts";
import { environmentAt, type Committed, comparable } from "./commits.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const REDOCLY = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** The exit code of a process that did not end in time. */
export const KILLED = 70;

/** Runs a Node script in a folder. */
export function runNode(
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
  timeout = 300_000,
): Promise<Ended> {
  const env = {
    ...process.env,
    NO_COLOR: "1",
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    CI: "",
    ...variables,
  };
  return new Promise((done) => {
    execFile(process.execPath, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : typeof error.code === "number" ? error.code : KILLED, output: stdout + stderr });
    });
  });
}

/** A running sandbox, and what was committed in it. */
export interface Served {
  readonly url: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly commits: () => Promise<readonly Committed[]>;
  readonly close: () => Promise<void>;
}

/** Starts a new sandbox with a plan of faults. */
export async function serve(faults: FaultPlan = []): Promise<Served> {
  const sandbox = await startSandbox({ path: ":memory:", faults });
  const { ledgerBaseUrl: url, ledgerApiKey, credentials } = sandbox;
  const keys = { LEDGER_API_KEY: ledgerApiKey, ...credentials };
  const commits = async (): Promise<readonly Committed[]> => {
    const response = await fetch(`${url}/_sandbox/commits`, { headers: { "x-api-key": ledgerApiKey } });
    return (parseJson(await response.text()) as unknown as { commits: readonly Committed[] }).commits;
  };
  return { url, keys, commits, close: () => sandbox.close() };
}

/** The key of the run in the ids that Respect sends. */
export const RUN_KEY = "k7";

/** A run with tokenbook: a file in a folder, its text, and its inputs. */
export interface Run {
  readonly file: string;
  readonly text: string;
  readonly folder: string;
  readonly inputs?: readonly string[];
  /** The run key in the ids, if it is not the run's own key. */
  readonly runKey?: string;
}

/** Runs a playbook or a document with tokenbook. */
export async function withTokenbook({ file, text, folder, inputs = [], runKey: given }: Run, served: Served): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "tokenbook.yaml"), environmentAt(served.url, Object.keys(served.keys)));
  const options = inputs.flatMap((input) => ["--input", input]);
  const ended = await runNode([join(ROOT, "bin/tokenbook.js"), "run", file, ...options], folder, served.keys);
  const [, own = RUN_KEY] = inputs.length > 0 ? [] : (/run \d{8}T\d{6}-(\w+)/.exec(ended.output) ?? []);
  return { ...ended, commits: comparable(await served.commits(), given ?? own) };
}

/** Calls `run` with a new sandbox, and closes the sandbox afterwards. */
export async function onNew<Result>(run: (served: Served) => Promise<Result>): Promise<Result> {
  const served = await serve();
  return run(served).finally(() => served.close());
}

/** The result of a run. */
export interface Outcome extends Ended {
  readonly commits: readonly string[];
}

/** Runs an Arazzo document with Respect. `more` holds further options. */
export async function withRespect(text: string, folder: string, served: Served, more: readonly string[] = []): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "x.arazzo.yaml"), text);
  for (const name of ["ledger", "investor"]) {
    writeFileSync(join(folder, `${name}.openapi.yaml`), readFileSync(join(ROOT, `schemas/${name}.openapi.yaml`)));
  }
  const inputs = { ...served.keys, runKey: RUN_KEY, orgId: "org1" };
  const given = Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]);
  const servers = ["--server", `ledger=${served.url}/tokenize/app1`, "--server", `investor=${served.url}/api/v/1`];
  const ended = await runNode([REDOCLY, "respect", "x.arazzo.yaml", ...given, ...servers, ...more], folder);
  return { ...ended, commits: comparable(await served.commits(), RUN_KEY) };
}

/** Checks a document with `redocly lint`. */
function lint(folder: string): Promise<Ended> {
  return runNode([REDOCLY, "lint", "x.arazzo.yaml"], folder);
}

/** A playbook that was exported and imported again. */
export interface BothWays {
  readonly steps: number;
  readonly losses: readonly Diagnostic[];
  readonly exported: string;
  readonly imported: string | undefined;
  readonly lint: Ended;
  readonly ours: Outcome;
  readonly respect: Outcome;
  readonly again: Outcome | undefined;
}

/** Exports a playbook. Runs the playbook, its export, and the import of the export. */
export async function bothWays(path: string, folder: string): Promise<BothWays> {
  const text = readFileSync(join(ROOT, path), "utf8");
  const { text: exported = "", diagnostics } = exportPlaybook(resolve(ROOT, path), text, filesOf({ cwd: ROOT }));
  const ours = await onNew((served) => withTokenbook({ file: "ours.yaml", text, folder: join(folder, "ours") }, served));
  const respect = await onNew((served) => withRespect(exported, join(folder, "respect"), served));
  const linted = await lint(join(folder, "respect"));
  const { text: imported } = importArazzo("x.arazzo.yaml", exported);
  const names = [...(imported ?? "").matchAll(/^ {2}(runKey|orgId):/gm)].map(
    ([, name]) => `${name}=${name === "orgId" ? "org1" : RUN_KEY}`,
  );
  const again =
    imported === undefined
      ? undefined
      : await onNew((served) =>
          withTokenbook({ file: "again.yaml", text: imported, folder: join(folder, "again"), inputs: names }, served),
        );
  const steps = exported.match(/^\s*- stepId:/gm)?.length ?? 0;
  return {
    steps,
    losses: diagnostics.filter(({ code }) => code === LOST),
    exported,
    imported,
    lint: linted,
    ours,
    respect,
    again,
  };
}
