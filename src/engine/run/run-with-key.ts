import { command } from "../../base/command-line.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { type Json, jsonEquals, textOrJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { firstLines, quoted, shortened } from "../../base/text/text.ts";
import { headingOf } from "../../environment/target.ts";
import { KEY_TAKEN } from "../../journal/failures.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { includedData } from "../../playbook/playbook-walk.ts";
import { differingFields } from "../../protocol/heading.ts";
import { identityOf, placeOf } from "../../protocol/identity.ts";
import type { RunOpened, RunOutcome } from "../../protocol/record.ts";
import { writtenWords } from "../../protocol/open-writes.ts";
import { stateOf } from "../../protocol/state.ts";
import type { GivenToRun } from "./concurrency-groups.ts";
import type { RunName } from "./run-names.ts";
import { digestOf } from "./plan-steps.ts";
import type { RunParts } from "./run-parts.ts";
import { type Beginning, resumeRun, startRun } from "./start-run.ts";

/** What a caller provides to run a playbook under a key. */
export interface Keyed extends Beginning {
  /** The name that the caller gave to the run with `--key`. */
  readonly key: string;
  /** Returns the playbook in the form in which the existing run needs it. Throws a Failure. */
  readonly reload: (opened: RunOpened) => { readonly playbook: Playbook; readonly files: FileReader };
  /** Receives notes for the caller. */
  readonly say: (text: string) => void;
}

/**
 * Runs a playbook under a caller's key, which names at most one run. An existing run is resumed, or only shown if it has passed. Throws a
 * Failure if that run has another playbook, inputs or environment (exit 2), or another process holds it (exit 6).
 */
export async function runWithKey(parts: RunParts, given: GivenToRun, name: RunName, keyed: Keyed): Promise<RunOutcome> {
  const known = parts.store.withKey(keyed.key);
  if (known !== undefined) return runAgain(parts, given, { runId: known.id, keyed });
  try {
    return await startRun(parts, given, name, keyed);
  } catch (error) {
    // Another process has begun the run in the meantime.
    const taken = error instanceof Failure && error.code === KEY_TAKEN ? parts.store.withKey(keyed.key) : undefined;
    if (taken === undefined) throw error;
    return runAgain(parts, given, { runId: taken.id, keyed });
  }
}

interface KnownRun {
  readonly runId: string;
  readonly keyed: Keyed;
}

async function runAgain(parts: RunParts, given: GivenToRun, { runId, keyed }: KnownRun): Promise<RunOutcome> {
  const known = parts.store.history(runId);
  const state = stateOf(known.records);
  const { opened, closed } = state;
  invariant(opened !== undefined, "a run begins with its opening");
  assertSame(opened, parts, { given, key: keyed.key, written: writtenWords(state) });
  if (closed?.outcome !== "passed") {
    const { playbook, files } = keyed.reload(opened);
    const { consent, admit } = keyed;
    const isForBeginning = consent !== undefined && "use" in consent; // nobody can approve a plan for the rest of a run
    return resumeRun({ ...parts, playbook }, runId, { files, known, admit, ...(isForBeginning ? {} : { consent }) });
  }
  const changed = changedSince(opened, parts.playbook);
  if (changed !== undefined)
    keyed.say(`${changed} has changed since the run ${runId} passed; the key names that run, so nothing was sent`);
  parts.store.nameLast();
  for (const record of known.records) parts.ports.observe(record);
  return closed.outcome;
}

function changedSince({ playbook, data = {} }: RunOpened, now: Playbook): string | undefined {
  if (playbook.digest !== digestOf(now)) return playbook.file;
  const isSame = jsonEquals(Object.values(data), Object.values(includedData(now)));
  return isSame ? undefined : `a data file of a playbook that ${playbook.file} includes`;
}

// A key belongs to one playbook, one set of inputs and one environment. All differences are listed at once.
function assertSame(
  opened: RunOpened,
  parts: RunParts,
  { given, key, written }: { readonly given: GivenToRun; readonly key: string; readonly written: string },
): void {
  const { runId } = opened;
  const places = placeDifferences(opened, parts);
  const differences = [...places, ...inputDifferences(opened, given)];
  if (differences.length === 0) return;
  const shown = firstLines(differences, LIMITS.planPlaces);
  throw new Failure({
    code: "run.key-of-another",
    message: [`the key ${key} already names the run ${runId}, which differs from this one:`, ...shown].join("\n"),
    why: "a key names one run of one playbook, with the same inputs in the same environment; nothing was sent",
    next: [
      written === "" || places.length > 0
        ? "choose another key for this run, or look at the earlier one:"
        : `look at that run first; a run with another key would make its writes in addition to those of that run (${written}):`,
      command`runs show ${runId}`,
    ],
  });
}

function placeDifferences(opened: RunOpened, { playbook, folder, target }: RunParts): readonly string[] {
  const was = identityOf(placeOf(opened));
  const is = identityOf({ file: playbook.file, folder });
  const now = headingOf(target);
  const places = differingFields(opened.target, now);
  return [
    ...(was === is ? [] : [`playbook: was ${was}, is ${is}`]),
    ...places.map((name) => `${name}: was ${opened.target[name] ?? "none"}, is ${now[name] ?? "none"}`),
  ];
}

function inputDifferences({ inputs, env = {} }: RunOpened, given: GivenToRun): readonly string[] {
  const files = [...new Set([...Object.keys(env), ...Object.keys(given.env)])];
  return [
    ...differencesIn("input", inputs, given.inputs),
    ...files.flatMap((file) => differencesIn("variable", env[file] ?? {}, given.env[file] ?? {})),
  ];
}

function differencesIn(
  what: string,
  before: Readonly<Record<string, Json>>,
  now: Readonly<Record<string, Json>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [was, is] = [before[name], now[name]];
    if (was !== undefined && is !== undefined && jsonEquals(was, is)) return [];
    return [`${what} ${quoted(name)}: was ${spelt(was)}, is ${spelt(is)}`];
  });
}

function spelt(value: Json | undefined): string {
  return value === undefined ? "not given" : shortened(textOrJson(value), LIMITS.editedChars);
}
