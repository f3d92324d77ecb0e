import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, textOrJson } from "../base/json/json.ts";
import { listOf, recordsIn } from "../base/json/parts.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Profile } from "../contract/profile.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import type { Asker, Said } from "./ask.ts";
import { type AnswerDifference, compareAnswers, MadeUpIds } from "./compare.ts";
import { imbalanceOf } from "./conservation.ts";
import { bound, type ExploredStep, userOf } from "./step.ts";

/** The two ledgers that must agree, and the settings that both share. */
export interface Explored {
  /** Makes calls to the explored service. */
  readonly service: Asker;
  /** Makes calls to the reference, which decides what the answers must be. */
  readonly reference: Asker;
  /** The profile of both. */
  readonly profile: Profile;
  /** The organization of the entities that act. */
  readonly orgId: string;
  /** The clock for the pause before a request with a time limit is sent to the service. */
  readonly clock: Clock;
  /** Returns whether no further step may be made. */
  readonly isOver: () => boolean;
}

/** What the service did wrong at the last step. */
export type Wrong =
  /** The service does not refuse what it must refuse for this condition. It does it, or gives another answer. */
  | { readonly kind: "accepted"; readonly condition: string; readonly said?: string }
  /** The service refuses what it must do, or gives no proper answer. */
  | { readonly kind: "not done"; readonly said: string }
  | { readonly kind: "differs"; readonly difference: AnswerDifference }
  /** The reference agrees, but the numbers do not add up. */
  | { readonly kind: "unbalanced"; readonly token: string; readonly imbalance: string };

/** One run of a sequence on both ledgers. */
export interface Played {
  /** Letters and digits that are part of all its names. */
  readonly key: string;
  /** The steps that were made. */
  readonly steps: readonly ExploredStep[];
  /** The steps that were refused, with the condition. */
  readonly refused: ReadonlyMap<string, string>;
  /** What went wrong; undefined if both sides agreed or an answer was lost. */
  readonly wrong: Wrong | undefined;
  /** How a playbook refers to texts of the reference, such as a transaction's id. */
  readonly called: ReadonlyMap<string, string>;
  /** Set if an answer of the service was lost, so that the rest proves nothing. */
  readonly lost: string | undefined;
  /** Whether it ended before its last step, because the time was over. */
  readonly isCut: boolean;
  /** Whether the service has done at least one write. */
  readonly hasWritten: boolean;
}

interface PlayedSide {
  readonly asker: Asker;
  readonly yields: Map<string, Json>;
}

interface BothSaid {
  readonly expected: Said;
  readonly seen: Said;
}

/** Makes each step of a sequence on the reference and on the service until they disagree. */
export async function play(steps: readonly ExploredStep[], explored: Explored, key: string): Promise<Played> {
  return new Play(explored, key).of(steps);
}

class Play {
  readonly #explored: Explored;
  readonly #key: string;
  readonly #reference: PlayedSide;
  readonly #service: PlayedSide;
  readonly #ids = new MadeUpIds();
  readonly #made: ExploredStep[] = [];
  #hasWritten = false;
  readonly #refused = new Map<string, string>();
  /** What the service last showed about each token. */
  readonly #readings = new Map<string, Record<string, Json>>();

  constructor(explored: Explored, key: string) {
    this.#explored = explored;
    this.#key = key;
    this.#reference = { asker: explored.reference, yields: new Map() };
    this.#service = { asker: explored.service, yields: new Map() };
  }

  /** Makes the steps. */
  async of(steps: readonly ExploredStep[]): Promise<Played> {
    for (const step of steps) {
      if (this.#explored.isOver()) return { ...this.#ended(undefined), isCut: true };
      const said = await this.#said(step);
      if (said === undefined) continue;
      this.#made.push(step);
      if (said.seen.kind === "lost" || said.expected.kind === "lost") return this.#ended(undefined, lostOf(said));
      const wrong = this.#wrongIn(step, said);
      if (wrong !== undefined) return this.#ended(wrong);
    }
    return this.#ended(this.#unbalanced());
  }

  #ended(wrong: Wrong | undefined, lost?: string): Played {
    const called = [...this.#reference.yields].map(([name, value]) => [textOrJson(value), `steps.${name}`] as const);
    const made = { key: this.#key, steps: this.#made, refused: this.#refused, hasWritten: this.#hasWritten };
    return { ...made, wrong, called: new Map(called), lost, isCut: false };
  }

  // If an earlier step did not give a value on one of the sides, a step that uses it is made on neither.
  async #said(step: ExploredStep): Promise<BothSaid | undefined> {
    const [known, given] = [this.#given(step, this.#reference), this.#given(step, this.#service)];
    if (known === undefined || given === undefined) return undefined;
    const expected = await this.#make(step, known, this.#reference);
    // The time limit of a request may end at the moment in which it begins.
    if (step.with["timeout"] instanceof Decimal) await this.#explored.clock.sleep(LIMITS.explorePauseMs);
    return { expected, seen: await this.#make(step, given, this.#service) };
  }

  #given(step: ExploredStep, { yields }: PlayedSide): JsonObject | undefined {
    return bound(step.with, { key: this.#key, orgId: this.#explored.orgId, yields }) as JsonObject | undefined;
  }

  async #make(step: ExploredStep, given: JsonObject, { asker, yields }: PlayedSide): Promise<Said> {
    const { profile } = this.#explored;
    const operation = operationNamed(step.uses);
    const mark = `explored ${this.#key} ${step.id}`;
    const id = (part = ""): string => `${step.id}${part}${this.#key}`.replaceAll(/[^A-Za-z0-9]/g, "");
    const input = "items" in given ? given : (operation.meaning.complete?.(given, { id, mark }, profile) ?? given);
    const actingEntity = `userId:${userOf(step.as, this.#key)}`;
    const said = await asker.ask({ uses: step.uses, input, actingEntity });
    if (said.kind !== "done") return said;
    if (!operation.writes) return { kind: "done", payload: this.#own(said.payload) };
    this.#hasWritten ||= asker === this.#explored.service;
    const found = await discovered(operation, { asker, input, mark, actingEntity });
    if ("missing" in found) return found.missing;
    this.#keep(step, operation, { side: { asker, yields }, input, payload: said.payload, found: found.row });
    return said;
  }

  #keep(
    { id }: ExploredStep,
    { yields }: Operation,
    { side, ...written }: { side: PlayedSide; input: JsonObject; payload: Json; found: JsonObject | undefined },
  ): void {
    for (const [name, { from }] of Object.entries(yields)) {
      const value = from({ ...written, profile: this.#explored.profile });
      if (value === undefined) continue;
      side.yields.set(`${id}.${name}`, value);
      listOf(value).forEach((each, at) => side.yields.set(`${id}.${name}[${at}]`, each));
    }
  }

  // If others use the service too, its lists contain more than this sequence has created.
  #own(payload: Json): Json {
    if (!Array.isArray(payload)) return payload;
    return (payload as readonly Json[]).filter((row) => names(row, this.#key));
  }

  #wrongIn(step: ExploredStep, { expected, seen }: BothSaid): Wrong | undefined {
    if (expected.kind === "refused") {
      if (seen.kind === "refused") this.#refused.set(step.id, expected.condition);
      if (seen.kind === "done") return { kind: "accepted", condition: expected.condition };
      return seen.kind === "broken" ? { kind: "accepted", condition: expected.condition, said: seen.why } : undefined;
    }
    if (expected.kind !== "done" || seen.kind === "unread" || seen.kind === "lost") return undefined;
    if (seen.kind !== "done") return { kind: "not done", said: seen.kind === "refused" ? seen.condition : seen.why };
    const difference = compareAnswers(expected.payload, seen.payload, this.#ids);
    if (difference !== undefined) return { kind: "differs", difference };
    this.#read(step, seen.payload);
    return undefined;
  }

  #read({ uses, with: given }: ExploredStep, payload: Json): void {
    const token = textOrJson(given["id"] ?? given["tokenId"] ?? null);
    if (operationNamed(uses).writes) this.#readings.clear();
    else if (uses === "ledger.token.get" || uses === "ledger.account.list" || uses === "ledger.transaction.list")
      this.#readings.set(token, { ...this.#readings.get(token), [uses]: payload });
  }

  #unbalanced(): Wrong | undefined {
    for (const [token, readings] of this.#readings) {
      const { "ledger.token.get": read, "ledger.account.list": accounts, "ledger.transaction.list": transactions } = readings;
      if (read === undefined || accounts === undefined || transactions === undefined) continue;
      const imbalance = imbalanceOf({ token: read, accounts, transactions });
      if (imbalance !== undefined) return { kind: "unbalanced", token, imbalance };
    }
    return undefined;
  }
}

interface Discovering {
  readonly asker: Asker;
  readonly input: JsonObject;
  readonly mark: string;
  readonly actingEntity: string;
}

// The answer to a write does not name the request. We find it by its mark, as a run does.
async function discovered(
  { meaning: { discovery } }: Operation,
  { asker, input, mark, actingEntity }: Discovering,
): Promise<{ readonly row: JsonObject | undefined } | { readonly missing: Said }> {
  if (discovery === undefined || "items" in input) return { row: undefined };
  const listed = await asker.ask({ uses: discovery.read, input: discovery.with(input), actingEntity });
  if (listed.kind !== "done") return { missing: listed };
  const found = recordsIn(listed.payload).filter((row) => discovery.matches(row, mark));
  if (found.length === 1) return { row: found[0] };
  return { missing: { kind: "broken", why: `${discovery.read} shows what was made ${found.length} times` } };
}

function lostOf({ expected, seen }: BothSaid): string {
  return seen.kind === "lost" ? seen.why : expected.kind === "lost" ? expected.why : "";
}

function names(value: Json, key: string): boolean {
  if (typeof value === "string") return value.includes(key);
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => names(item, key));
  return isObject(value) && Object.values(value).some((field) => names(field, key));
}
