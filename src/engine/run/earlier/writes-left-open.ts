import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { resolvingCommands } from "../../../journal/failures.ts";
import { Failure } from "../../../base/failure.ts";
import { canonicalJson, isObject, jsonEquals } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { isMasked } from "../../../base/secret.ts";
import { count } from "../../../base/text/text.ts";
import { isoTime } from "../../../base/time/date.ts";
import { mayBeAtSame, headingOf, type Target } from "../../../environment/target.ts";
import type { RunSummary } from "../../../journal/run-summary.ts";
import type { JournalStore } from "../../../journal/store.ts";
import { maybeSameId } from "../../../services/same-id.ts";
import { toJson } from "../../../source/node.ts";
import { parseYaml } from "../../../source/parse.ts";
import { serviceOf, services } from "../../../services/services.ts";
import { callsOf, playbooksIn } from "../../../playbook/playbook-walk.ts";
import { identityOf, placeOf, type PlaybookPlace } from "../../../protocol/identity.ts";
import { leftWrites, type OpenAttempt, writtenUntil } from "../../../protocol/open-writes.ts";
import type { RunOpened } from "../../../protocol/record.ts";
import { type RunState, stateOf } from "../../../protocol/state.ts";
import { digestOf } from "../plan-steps.ts";
import { foreseenWrites, type ForeseenRun, mayEqual, meets, touchedBy, type TouchingWrite } from "./foreseen-writes.ts";

/** A run that is about to begin. */
export interface Starting extends ForeseenRun {
  /** Where the paths of its files begin, from the project's folder; `undefined` if unknown. */
  readonly folder: string | undefined;
}

/** A write that an earlier run has left open, and why the new run must not begin beside it. */
export interface LeftOpen {
  /** The earlier run that left it. */
  readonly run: Pick<RunSummary, "id" | "playbook">;
  /** The write, and its last attempt. */
  readonly write: OpenAttempt;
  /** What both write to; `undefined` when both runs are of the same playbook. */
  readonly same: SameObject | undefined;
  /** Whether the same playbook had another name then. */
  readonly isRenamed: boolean;
}

interface SameObject {
  /** The step of the run that is about to begin. */
  readonly step: string;
  /** The caller of both writes, where it is known for both. */
  readonly as: string | undefined;
  /** `undefined` where it is known only during the run. */
  readonly object: { readonly kind: string; readonly id: string } | undefined;
}

/** A function that is called for each run without an open write, with the time until which other runs may find what it has written. */
export type HasLeftNothing = (run: RunSummary, until: number) => void;

/**
 * Returns the open writes that prevent a run from beginning: those of earlier runs of its playbook in its environment, and those of any run in it
 * that were made as the same entity on an object to which the new run writes, or may write. The environment may have another name or address
 * since. They never prevent a playbook without writes.
 */
export function leftOpenBefore(
  store: JournalStore,
  starting: Starting,
  hasLeftNothing: HasLeftNothing = () => undefined,
): readonly LeftOpen[] {
  const runs = store.runs.unsettled();
  if (runs.length === 0 || ![...callsOf(starting.playbook)].some(({ operation }) => operation.writes)) return [];
  const own = identityOf({ file: starting.playbook.file, folder: starting.folder });
  let foreseen: readonly TouchingWrite[] | undefined;
  const would = (): readonly TouchingWrite[] => (foreseen ??= foreseenWrites(starting));
  return runs.flatMap((run): readonly LeftOpen[] => {
    const state = stateOf(store.read(run.id));
    const left = leftIn(state, run);
    if (left === undefined) {
      const until = writtenUntil(state);
      if (until !== undefined) hasLeftNothing(run, until);
      return [];
    }
    const { opened, writes } = left;
    const isNamedAlike = identityOf(placeOf(opened)) === own;
    return writes.flatMap((write): readonly LeftOpen[] => {
      if (!isAt(opened, write, starting.target)) return [];
      if (isNamedAlike || isAlike(opened, starting))
        return [{ run, write, same: undefined, isRenamed: !isNamedAlike && run.playbook !== starting.playbook.file }];
      const same = meeting(touchedBy(write.last, starting.target), would());
      return same === undefined ? [] : [{ run, write, same, isRenamed: false }];
    });
  });
}

// A file that was moved, copied, linked or generated again has another name. If it says the same, with the same inputs, it would make the same writes.
function isAlike({ playbook: { digest }, sources = {}, inputs }: RunOpened, { playbook, given }: Starting): boolean {
  if (!jsonEquals(inputs, given.inputs)) return false;
  if (digest === digestOf(playbook)) return true;
  const now = playbooksIn(playbook).map(({ text }) => saidBy(text));
  return jsonEquals(Object.values(sources).map(saidBy).toSorted(), now.toSorted());
}

// What a playbook does: without its comments, and without the words for people, in which a program that generates it may write the time.
function saidBy(text: string): string {
  const { root } = parseYaml("", text);
  const said = root === undefined ? text : toJson(root);
  if (!isObject(said)) return canonicalJson(said);
  const { name: _name, description: _description, tags: _tags, ...does } = said;
  return canonicalJson(does);
}

/** Returns the writes that runs of a playbook have left open in an environment. */
export function leftOpenOf(
  store: JournalStore,
  place: PlaybookPlace,
  environment: string,
): readonly { readonly run: RunSummary; readonly write: OpenAttempt }[] {
  const own = identityOf(place);
  return store.runs.unsettled().flatMap((run) => {
    const left = run.environment === environment ? leftBy(store, run) : undefined;
    if (left === undefined || identityOf(placeOf(left.opened)) !== own) return [];
    return left.writes.map((write) => ({ run, write }));
  });
}

/**
 * Returns what a run has left open, or its present holder has given up; nothing when all that it wrote is settled, or is being written now.
 */
export function leftBy(store: JournalStore, run: Pick<RunSummary, "id" | "held">): LeftWrites | undefined {
  return leftIn(stateOf(store.read(run.id)), run);
}

interface LeftWrites {
  readonly opened: RunOpened;
  readonly writes: readonly OpenAttempt[];
}

function leftIn(state: RunState, { held }: Pick<RunSummary, "held">): LeftWrites | undefined {
  const writes = leftWrites(state, held !== undefined);
  return writes.length === 0 || state.opened === undefined ? undefined : { opened: state.opened, writes };
}

// An operation that this version does not know may have written to any interface.
function isAt({ target }: RunOpened, { operation }: OpenAttempt, now: Target): boolean {
  const known = serviceOf(operation);
  const heading = headingOf(now);
  return (known === undefined ? services : [known]).some((service) => mayBeAtSame(service, target, heading));
}

// An operation that this version does not know may have written to anything.
function meeting(open: TouchingWrite | undefined, would: readonly TouchingWrite[]): SameObject | undefined {
  for (const write of would) {
    if (open === undefined) return { step: write.step, as: undefined, object: undefined };
    if (write.operation.service !== open.operation.service || !mayEqual(write.as, open.as)) continue;
    const as = write.as ?? open.as;
    const object = open.objects.find((one) => write.objects.some((other) => meets(one, other)));
    if (object === undefined) continue;
    const { kind, id } = object;
    const isKnown =
      kind !== undefined &&
      typeof id === "string" &&
      !isMasked(id) &&
      write.objects.some((other) => maybeSameId(other.id ?? null, id));
    return { step: write.step, as, object: isKnown ? { kind, id } : undefined };
  }
  return undefined;
}

/** The code of the failure that says that an earlier run has left a write open. */
export const OPEN_WRITE = "run.open-write";

/** Returns the Failure of a run that must not begin beside open writes of earlier runs. */
export function openWriteLeft(found: readonly [LeftOpen, ...LeftOpen[]]): Failure {
  const [{ run, write }] = found;
  const shown = found.slice(0, LIMITS.openWritesShown).map(sentenceOf);
  const more = found.length > shown.length ? [`and ${count(found.length - shown.length, "more write")}`] : [];
  return new Failure({
    code: OPEN_WRITE,
    message: [...shown, ...more].join("\n"),
    why: "a new run could repeat that write; nothing was sent",
    next: [
      "check the ledger again and continue that run:",
      command`resume ${run.id}`,
      "or check the ledger yourself and record what you found:",
      ...resolvingCommands(run.id, write.step),
      "or run beside it, with your reason kept in the journal, by adding: --anyway --because TEXT",
    ],
    exit: EXIT.locked,
  });
}

function sentenceOf({ run, write: { step, operation, sentAt }, same, isRenamed }: LeftOpen): string {
  const own = isRenamed ? `an earlier run of this playbook, which was ${run.playbook} then` : "an earlier run of this playbook";
  const whose = same === undefined ? own : `a run of ${run.playbook}`;
  const at = isoTime(sentAt);
  return `the run ${run.id}, ${whose}, left a write open: it is unknown whether "${step}" (${operation}, attempted at ${at}) took effect${same === undefined ? "" : `; ${sameWords(same)}`}`;
}

function sameWords({ step, as, object }: SameObject): string {
  const who = as === undefined ? "possibly as the same entity" : `also as ${as}`;
  if (object === undefined)
    return `"${step}" of this playbook writes ${who}; whether it writes to the same object is known only during the run`;
  return `"${step}" of this playbook writes ${who}, to the same ${object.kind}${object.kind === "identity" ? "" : ` ${object.id}`}`;
}
