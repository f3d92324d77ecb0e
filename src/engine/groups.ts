import { hostname } from "node:os";
import { formatDuration } from "../base/duration.ts";
import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import type { JsonObject } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { EvaluationFailure } from "../expression/expression.ts";
import type { GroupHold } from "../journal/groups.ts";
import { inputsForGroups, inputsOfGroups } from "../playbook/concurrency.ts";
import { someInputs } from "../playbook/inputs.ts";
import type { Playbook } from "../playbook/model.ts";
import type { Env } from "../playbook/open.ts";
import { bind } from "../playbook/template.ts";
import { includesOf } from "../playbook/walk.ts";
import type { RunParts } from "./start.ts";

const PAUSE_MS = 250;

/** A group that a run needs for itself. */
interface Wish {
  readonly group: string;
  /** How long to wait while another run has it. */
  readonly waitMs: number | undefined;
  /** Where the playbook says so. */
  readonly at: string;
}

/** What a run is given beside its playbook. */
export interface Given {
  readonly inputs: JsonObject;
  readonly env: Env;
}

/**
 * Does the work while the run has its groups and those of all that it includes; they are released whatever comes of it. Throws a
 * Failure (exit 6) that names the holder when one of them is not to be had.
 */
export async function inGroups<T>(
  parts: RunParts,
  about: Given & { readonly runId: string },
  work: () => Promise<T>,
): Promise<T> {
  const wishes = wishesOf(parts.playbook, about.inputs, about.env);
  if (wishes.length === 0) return work();
  await takeAll(parts, about.runId, wishes);
  try {
    return await work();
  } finally {
    parts.store.groups.release(about.runId);
  }
}

// In the order of their names; of one that two playbooks name, the more patient wish.
function wishesOf(playbook: Playbook, inputs: JsonObject, env: Env): readonly Wish[] {
  const wishes = new Map<string, Wish>();
  for (const wish of allWishes(playbook, inputs, env)) {
    const known = wishes.get(wish.group);
    if (known === undefined || (wish.waitMs ?? 0) > (known.waitMs ?? 0)) wishes.set(wish.group, wish);
  }
  return [...wishes.values()].toSorted((a, b) => (a.group < b.group ? -1 : 1));
}

function* allWishes(playbook: Playbook, inputs: JsonObject, env: Env): Generator<Wish> {
  const scope = { inputs, env: env[playbook.file] ?? {} };
  const { concurrency } = playbook;
  if (concurrency !== undefined) {
    const at = `${playbook.file}:${concurrency.line} (concurrency)`;
    yield {
      group: nameOf(
        named(at, () => bind(concurrency.group, scope)),
        at,
      ),
      waitMs: concurrency.waitMs,
      at,
    };
  }
  for (const step of includesOf(playbook)) {
    const names = inputsOfGroups(step.playbook);
    const given = inputsForGroups(step).map(([name]) => [name, step.inputs.get(name)] as const);
    const at = `${playbook.file}:${step.line} (${step.id})`;
    const values = given.flatMap(([name, template]) =>
      template === undefined ? [] : [[name, named(at, () => bind(template, scope))] as const],
    );
    yield* allWishes(step.playbook, someInputs(step.playbook, Object.fromEntries(values), names), env);
  }
}

function named<T>(at: string, name: () => T): T {
  try {
    return name();
  } catch (error) {
    if (error instanceof EvaluationFailure) throw unnamed(at, error.message);
    throw error;
  }
}

function nameOf(value: unknown, at: string): string {
  const name = typeof value === "string" ? value.trim() : "";
  if (name !== "" && name.length <= LIMITS.groupChars) return name;
  throw unnamed(at, name === "" ? "it is empty" : `it has ${name.length} characters; the limit is ${LIMITS.groupChars}`);
}

function unnamed(at: string, why: string): Failure {
  return new Failure({ code: "concurrency.no-name", message: `${at}: the group has no name: ${why}`, why: "nothing was sent" });
}

async function takeAll({ store, ports }: RunParts, runId: string, wishes: readonly Wish[]): Promise<void> {
  const began = ports.clock.now();
  let told: GroupHold | undefined;
  for (;;) {
    const hold = store.groups.take(
      wishes.map(({ group }) => group),
      runId,
    );
    if (hold === undefined) return;
    const wish = wishes.find(({ group }) => group === hold.group);
    const untilMs = began + (wish?.waitMs ?? 0);
    const now = ports.clock.now();
    if (now >= untilMs) throw held(hold, wish);
    if (told?.group !== hold.group || told.runId !== hold.runId) {
      ports.observe({ kind: "run.waiting", for: spell(hold), untilMs, at: now });
    }
    told = hold;
    await ports.clock.sleep(Math.min(PAUSE_MS, untilMs - now), ports.stopping);
    if (ports.stopping.aborted) throw stopped(hold);
  }
}

function spell({ group, runId, holder, since }: GroupHold): string {
  const where = holder.host === hostname() ? "on this host" : `on ${holder.host}`;
  return `the group "${group}", which the run ${runId} has (process ${holder.pid} ${where}, since ${new Date(since).toISOString()})`;
}

function held(hold: GroupHold, wish: Wish | undefined): Failure {
  const waited = wish?.waitMs === undefined ? "" : `after ${formatDuration(wish.waitMs)} `;
  return new Failure({
    code: "concurrency.held",
    message: `${waited}another run is in ${spell(hold)}`,
    why: `${wish?.at ?? "the playbook"} lets one run of the group act at a time; nothing was sent`,
    next: "wait for that run to end, or stop its process; then run the same command again",
    exit: EXIT.locked,
  });
}

function stopped(hold: GroupHold): Failure {
  return new Failure({
    code: "concurrency.interrupted",
    message: `interrupted while waiting for ${spell(hold)}; nothing was sent`,
    exit: EXIT.interrupted,
  });
}
