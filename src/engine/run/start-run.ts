import { type Advice, command } from "../../base/command-line.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { present } from "../../base/present.ts";
import { headingOf, type Target } from "../../environment/target.ts";
import type { RunHistory } from "../../journal/chain.ts";
import { actingFor } from "../../journal/leases.ts";
import type { Admit, Held } from "../../journal/store.ts";
import { writtenUntil } from "../../protocol/open-writes.ts";
import { differingFields } from "../../protocol/heading.ts";
import type { Anyway, RunOpened, RunOutcome } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";
import { services } from "../../services/services.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import { askingOf } from "../read/ask.ts";
import { RunContext } from "./run-context.ts";
import { editOf } from "../edit/edit-of-run.ts";
import type { GivenToRun } from "./concurrency-groups.ts";
import { assertConsent, confirmedIn, type Consent } from "./consent.ts";
import { lateBefore, lateWriteSent } from "./earlier/late-writes.ts";
import { leftBehindBefore, refusalBeside, runsOf } from "./earlier/left-behind.ts";
import { releasingOnFailure, withLeases } from "./run-leases.ts";
import type { HasLeftNothing, Starting } from "./earlier/writes-left-open.ts";
import { releaseSilent } from "./release-run.ts";
import type { RunName } from "./run-names.ts";
import { writingOf } from "./plan-steps.ts";
import { checkReach, checkTarget } from "./preflight.ts";
import { readingOnly } from "../read/reading-port.ts";
import { runLoop } from "./run-loop.ts";
import type { RunParts } from "./run-parts.ts";
import { ServiceClient } from "../service/service.ts";

/** What a person or a caller may provide when a run begins. */
export interface Beginning {
  /** The name of the run: no other run of the journal may have this key. */
  readonly key?: string | undefined;
  /** Begins the run although these runs, or all that the journal has now, have left writes open. */
  readonly anyway?: (Omit<Anyway, "runs"> & { readonly runs?: Anyway["runs"] }) | undefined;
  /** The consent to its writes in a protected environment. */
  readonly consent?: Consent | undefined;
  /** Called in the transaction that opens the run. Throws a Failure if the caller may no longer begin this run. */
  readonly admit?: Admit | undefined;
}

/**
 * Runs a checked playbook from its first step. Throws a Failure if it cannot start, for example because an earlier run has left a write
 * open that this run might repeat. Then only harmless reads were sent.
 */
export async function startRun(
  parts: RunParts,
  given: GivenToRun,
  name: RunName,
  beginning: Beginning = {},
): Promise<RunOutcome> {
  return actingFor(name.runId, () => beginRun(parts, given, { name, beginning }));
}

async function beginRun(
  parts: RunParts,
  given: GivenToRun,
  { name, beginning }: { readonly name: RunName; readonly beginning: Beginning },
): Promise<RunOutcome> {
  const { playbook, target, store, ports, folder } = parts;
  checkTarget(playbook, target);
  assertConsent(playbook, target, beginning.consent);
  const starting = { playbook, target, given, folder };
  const runs = acceptedRuns(parts, starting, beginning);
  return withLeases(parts, { ...given, ...name, isNew: true }, async (claim) => {
    await checkReach(playbook, askingOf(readingOnly(new ServiceClient(target, ports)), ports));
    const opened = opening(parts, given, { ...name, ...beginning, runs });
    // Checked again in the transaction that opens the run, because another process may have left a write open in the meantime.
    const admit: Admit = (database) => {
      beginning.admit?.(database);
      if (beginning.consent !== undefined && "use" in beginning.consent) beginning.consent.use?.(name.runId);
      const hasLeftNothing: HasLeftNothing = (run, until) => store.settle(run, until);
      const refused = refusalBeside(leftBehindBefore(store, starting, { clock: ports.clock, hasLeftNothing }), runs);
      if (refused !== undefined) throw refused;
    };
    const held = await store.begin(opened, claim, admit);
    for (const record of held.records) ports.observe(record);
    return runToItsEnd(parts, held);
  });
}

// The runs with something left behind that a person has accepted. Throws a Failure if one of them is not accepted.
function acceptedRuns({ store, ports }: RunParts, starting: Starting, { anyway }: Beginning): readonly string[] {
  const left = leftBehindBefore(store, starting, ports);
  const runs = anyway === undefined ? [] : runsOf(left).filter((id) => anyway.runs?.includes(id) ?? true);
  const refused = refusalBeside(left, runs);
  if (refused !== undefined) throw refused;
  return runs;
}

const NO_FILES: FileReader = { read: () => undefined };

/** What is known of a run to resume. */
export interface Resuming {
  /** Reads the files that the text before an edit names. */
  readonly files?: FileReader;
  /** Records that were read already, so that they need not be read again. */
  readonly known?: RunHistory;
  /** The consent to the writes of an edited playbook in a protected environment. */
  readonly consent?: Consent | undefined;
  /** Called in the transaction that claims the run. Throws a Failure if the caller may no longer resume it. */
  readonly admit?: Admit | undefined;
}

/**
 * Resumes a run that stopped, was interrupted, or whose process died. Throws a Failure if the playbook contradicts what was done, or the
 * target differs from the run's own.
 */
export async function resumeRun(parts: RunParts, runId: string, resuming: Resuming = {}): Promise<RunOutcome> {
  return actingFor(runId, () => continueRun(parts, runId, resuming));
}

async function continueRun(
  parts: RunParts,
  runId: string,
  { files = NO_FILES, known, consent, admit }: Resuming,
): Promise<RunOutcome> {
  const { playbook, target, store, ports } = parts;
  store.assertResumable(runId);
  await releaseSilent(store, runId);
  const read = store.history(runId, known);
  const before = stateOf(read.records);
  invariant(before.opened !== undefined, "a run begins with its opening");
  assertSameTarget(before.opened, target);
  const edit = editOf(parts, before, files);
  if (before.closed?.outcome === "passed") {
    store.nameLast();
    for (const record of read.records) ports.observe(record);
    return "passed";
  }
  checkTarget(playbook, target);
  const { inputs, env = {} } = before.opened;
  return withLeases(parts, { inputs, env, runId, isNew: false }, async (claim) => {
    // Another process may have resumed the run before this claim.
    const now = store.history(runId, read);
    const state = now === read ? before : stateOf(now.records);
    const edited = now === read ? edit : editOf(parts, state, files);
    if (edited !== undefined) assertConsent(playbook, target, consent);
    const [late, ...more] = lateBefore(
      store,
      { playbook, target, given: { inputs, env } },
      { clock: ports.clock, resumed: state },
    );
    if (late !== undefined) throw lateWriteSent([late, ...more], "resume");
    await checkReach(playbook, askingOf(readingOnly(new ServiceClient(target, ports)), ports));
    const held = await store.claim(runId, claim, { known: now, ...present({ admit }) });
    const records =
      edited === undefined ? held.records : [...held.records, held.journal.note({ ...edited, ...confirmedIn(consent) })];
    await held.journal.flushed();
    for (const record of records) ports.observe(record);
    return runToItsEnd(parts, { ...held, records });
  });
}

async function runToItsEnd(parts: RunParts, held: Held): Promise<RunOutcome> {
  const { playbook, target, store, ports } = parts;
  const context = new RunContext(playbook, target, held, ports);
  return releasingOnFailure(parts, held.journal.claim, async () => {
    const closed = await runLoop(context);
    const until = writtenUntil(context.state);
    await context.close(closed, (journal) => store.release(journal, closed.outcome, until));
    return closed.outcome;
  });
}

function opening(
  { playbook, target, folder }: RunParts,
  { inputs, env }: GivenToRun,
  about: RunName & Beginning & Pick<Anyway, "runs">,
): RunOpened {
  const { key, anyway, consent, runs } = about;
  return {
    kind: "run.opened",
    format: 1,
    runId: about.runId,
    runKey: about.runKey,
    ...writingOf(playbook),
    inputs,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    target: headingOf(target),
    ...present({ folder, idempotencyKey: key }),
    ...(anyway === undefined || runs.length === 0 ? {} : { anyway: { who: anyway.who, because: anyway.because, runs } }),
    ...confirmedIn(consent),
  };
}

function assertSameTarget(opened: RunOpened, target: Target): void {
  const now = headingOf(target);
  const different = differingFields(opened.target, now);
  if (different.length === 0) return;
  throw new Failure({
    code: "resume.target-changed",
    message: `the run ${opened.runId} began in another place: ${different.map((key) => `${key} was ${opened.target[key] ?? null} and is ${now[key] ?? null}`).join("; ")}`,
    why: "everything that it has done is there, not here",
    next: wayBack(opened, target, different),
  });
}

// The setting that holds a field of a heading.
function settingOf(field: string): string {
  const service = services.find(({ name, settings }) => name === field || Object.hasOwn(settings, field));
  if (service === undefined) return "";
  return `${service.name}.${service.name === field ? "baseUrl" : field}`;
}

// The environment has another name or address, so the same command would fail again.
function wayBack({ runId, target: before }: RunOpened, target: Target, different: readonly string[]): Advice {
  const resume = command`resume ${runId} --env ${before.environment}`;
  if (!different.includes("environment")) {
    if (target.embedded)
      return [
        `set "${target.environment}" in tokenbook.yaml back to that address, then continue the run:`,
        command`resume ${runId}`,
      ];
    const places = different.flatMap((key) => (key === "environment" ? [] : [target.whereIs(settingOf(key))]));
    return [`restore the earlier value at ${[...new Set(places)].join(" and ")}, then continue the run:`, resume];
  }
  if (different.length > 1) return resume;
  return [resume, `if "${target.environment}" had that name before, rename it back in tokenbook.yaml`];
}
