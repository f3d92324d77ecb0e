import type { Json } from "../base/json/json.ts";
import { getOrInsert } from "../base/maps.ts";
import { headingsOf, type Place, usesOf } from "../engine/run/plan-steps.ts";
import { unknownValue } from "../expression/unknown.ts";
import type { Playbook } from "../playbook/model.ts";
import { keysOf, parseAddress, stepOf } from "../protocol/address.ts";
import type { PlannedStep } from "../report/plan/shape.ts";

/** The place of a step in a run. If nothing leads to the step yet, not all rounds around it are known. */
export type PlannedPlace = Pick<Place, "step" | "address" | "within"> & Partial<Pick<Place, "rounds">>;

/** Returns an unknown value in place of what a step gives to later steps under this name. */
export function knownAfter({ step, address }: Pick<PlannedPlace, "step" | "address">, name: string, why = ""): Json {
  return unknownValue(`steps.${step.id}.${name} is known only when ${address} has run${why}`);
}

/** Returns the row of a step with what the playbook defines, before it is planned. */
export function rowOf(
  playbook: Playbook,
  { step, address, rounds = [] }: Omit<PlannedPlace, "within">,
): Omit<PlannedStep, "verdict"> {
  const isWhole = step.foreach !== undefined && rounds.at(-1)?.owner !== step;
  return {
    step: address,
    name: step.name,
    line: step.line,
    kind: isWhole ? "foreach" : step.kind,
    uses: usesOf(step),
    depth: (depthsOf(playbook).get(headingIdOf({ step, address })) ?? 0) + roundsAround({ step, address }),
    actor: null,
    why: [],
    problem: null,
    writes: step.kind === "call" && step.operation.writes ? step.operation.call.interface : null,
    input: null,
    unknown: [],
    reads: [],
  };
}

/** Returns the id of a step among the headings of a playbook. */
export function headingIdOf({ step, address }: Pick<PlannedPlace, "step" | "address">): string {
  return `${stepOf(parseAddress(address).frame)}${step.id}`;
}

// The id of a check may look like a round, so only the part after the id counts.
function roundsAround({ step, address }: Pick<PlannedPlace, "step" | "address">): number {
  const { frame } = parseAddress(address);
  return keysOf(frame).length + keysOf(address.slice(frame.length + step.id.length)).length;
}

/** The rows in the order in which they were added, but with the rows of each round together, because rounds are planned in parallel. */
export class Rows {
  readonly #rows = new Map<string, { readonly row: PlannedStep; readonly rank: readonly number[] }>();
  readonly #rounds = new Map<string, number>();

  /** Returns the row of a step; `undefined` if it has none yet. */
  get(address: string): PlannedStep | undefined {
    return this.#rows.get(address)?.row;
  }

  /** Adds a row, or replaces the existing row of its step. */
  set({ address, within }: PlannedPlace, row: PlannedStep): void {
    this.#rows.set(address, { row, rank: this.#rows.get(address)?.rank ?? this.#rankOf(within) });
  }

  // The rank is the start of the outermost round, then of each round inside it, then the row's own place.
  #rankOf(within: PlannedPlace["within"]): readonly number[] {
    const next = this.#rows.size;
    for (const round of within) if (!this.#rounds.has(round)) this.#rounds.set(round, next);
    return [...within.map((round) => this.#rounds.get(round) ?? next), next];
  }

  /** Returns all rows in order. */
  list(): readonly PlannedStep[] {
    return [...this.#rows.values()].toSorted((one, other) => compare(one.rank, other.rank)).map(({ row }) => row);
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

const known = new WeakMap<Playbook, ReadonlyMap<string, number>>();

function depthsOf(playbook: Playbook): ReadonlyMap<string, number> {
  return getOrInsert(known, playbook, () => new Map(headingsOf(playbook).map(({ id, depth = 0 }) => [id, depth])));
}
