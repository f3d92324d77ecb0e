import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { operationNamed } from "../operations/operation.ts";
import type { Played, Wrong } from "./play.ts";
import { type ExploredStep, stepsNamed } from "./step.ts";

/** A sequence whose last step shows what is wrong. */
export type FoundWrong = Played & { readonly wrong: Wrong };

/** Whether a mistake appeared again when its sequence was repeated, or was not repeated to its end. */
export type Repeated = "again" | "not again" | "not repeated";

/**
 * Makes a sequence shorter and simpler as long as the service makes the same mistake. Each try is played with new names. If not even the sequence itself goes
 * wrong again, it stays as it is. Once `isOver` returns true, nothing more is tried.
 */
export async function shorten(
  found: FoundWrong,
  again: (steps: readonly ExploredStep[]) => Promise<Played>,
  isOver: () => boolean,
): Promise<{ readonly shown: FoundWrong; readonly repeated: Repeated }> {
  let shortest: FoundWrong | undefined;
  let isWhole = true;
  const stillWrong = async (steps: readonly ExploredStep[]): Promise<FoundWrong | undefined> => {
    const played = await again(steps);
    const { wrong, refused } = played;
    isWhole = played.lost === undefined && !played.isCut;
    // A call that is refused only because something was left out shows nothing, and the check may refuse it too.
    const isPlain = shortest === undefined || [...refused.keys()].every((id) => shortest?.refused.has(id));
    if (wrong === undefined || !isPlain || signatureOf({ ...played, wrong }) !== signatureOf(found)) return undefined;
    return { ...played, wrong };
  };
  shortest = await stillWrong(found.steps);
  if (shortest === undefined) return { shown: found, repeated: isWhole ? "not again" : "not repeated" };
  let shorterOf = shorterOnes(shortest.steps);
  for (let tries = 0; tries < LIMITS.exploreShorter && !isOver(); tries++) {
    const next = shorterOf.next();
    if (next.done === true) break;
    const shorter = await stillWrong(next.value);
    if (shorter === undefined) continue;
    shortest = shorter;
    shorterOf = shorterOnes(shorter.steps);
  }
  return { shown: shortest, repeated: "again" };
}

/** Returns the sequence with all its reads after every write, so that a mistake shows as early as possible. */
export function withMoreLooks(steps: readonly ExploredStep[]): readonly ExploredStep[] {
  const looks = new Map(
    steps.filter((step) => !isWrite(step)).map((look) => [JSON.stringify([look.uses, look.as, look.with]), look]),
  );
  return steps
    .filter(isWrite)
    .flatMap((write, at) => [write, ...[...looks.values()].map((look) => ({ ...look, id: `${look.id}_${at}` }))]);
}

/** Returns what is wrong and where, without names and numbers. Two findings with the same signature are probably the same bug. */
export function signatureOf({ steps, wrong }: FoundWrong): string {
  const { uses = "" } = steps.at(-1) ?? {};
  if (wrong.kind === "accepted") return `${uses} ${wrong.kind} ${wrong.condition}`;
  if (wrong.kind !== "differs") return `${uses} ${wrong.kind}`;
  const fields = wrong.difference.path.filter((part) => typeof part === "string");
  return `${uses} ${wrong.kind} ${fields.join(".")}`;
}

function isWrite({ uses }: ExploredStep): boolean {
  return operationNamed(uses).writes;
}

function* shorterOnes(steps: readonly ExploredStep[]): Generator<readonly ExploredStep[]> {
  const earlier = steps.slice(0, -1);
  const reads = earlier.filter((step) => !isWrite(step));
  if (reads.length > 0) yield without(steps, reads);
  for (let size = earlier.length >> 1; size >= 1; size >>= 1) {
    for (let at = earlier.length - size; at > -size; at -= size) {
      const fewer = without(steps, earlier.slice(Math.max(at, 0), at + size));
      if (fewer.at(-1) === steps.at(-1) && fewer.length < steps.length) yield fewer;
    }
  }
  for (const [at, step] of steps.entries()) {
    for (const plainer of plainerOnes(step.with)) yield steps.with(at, { ...step, with: plainer as JsonObject });
  }
}

// This also removes steps that need a removed step.
function without(steps: readonly ExploredStep[], removed: readonly ExploredStep[]): readonly ExploredStep[] {
  const gone = new Set(removed.map(({ id }) => id));
  return steps.filter(({ id, with: given }) => {
    if (stepsNamed(given).some((name) => gone.has(name))) gone.add(id);
    return !gone.has(id);
  });
}

// Fields that a call needs in order to be understood. Without them, the check would refuse the playbook.
const KEPT: ReadonlySet<string> = new Set(["id", "name", "symbol", "value", "to", "from", "ids", "values"]);

function* plainerOnes(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length > 1) for (const at of items.keys()) yield items.toSpliced(at, 1);
    for (const [at, item] of items.entries()) for (const plainer of plainerOnes(item)) yield items.with(at, plainer);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) if (!KEPT.has(name)) yield withoutField(value, name);
  for (const [name, field] of Object.entries(value))
    for (const plainer of plainerOnes(field)) yield { ...value, [name]: plainer };
}

function withoutField(value: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}
