import { primaryKeyOf } from "../contract/profile.ts";
import { operationNamed } from "../operations/operation.ts";
import type { Clock } from "../base/ports.ts";
import { LIMITS } from "../base/limits.ts";
import { Asker, type Carry } from "./ask.ts";
import type { ExploredAssetType } from "./draft.ts";
import { breachOf, type Breach, playbookOf } from "./found-playbook.ts";
import { play, type Played } from "./play.ts";
import { removeWhatCanBe } from "./remove.ts";
import { openReference, type ReferenceOptions } from "./reference.ts";
import { sequenceOf } from "./sequence.ts";
import { type FoundWrong, type Repeated, shorten, signatureOf, withMoreLooks } from "./shorten.ts";
import { asWritten, type ExploredStep } from "./step.ts";

/** The service that is explored. */
export interface ExploredService extends Pick<ReferenceOptions, "profile" | "orgId" | "appId" | "assetTypes"> {
  /** Sends each request to the service. */
  readonly carry: Carry;
  /** Whether the service ends with the exploration, so that nothing has to be removed from it. */
  readonly isOwn: boolean;
  /** The rules of the reference, if they are not those of the sandbox. */
  readonly referenceRules?: ReferenceOptions["rules"];
}

/** The limits of an exploration. */
export interface ExploringOptions {
  /** The number that decides all sequences. The same number gives the same calls. */
  readonly seed: number;
  /** The largest number of sequences. */
  readonly sequences: number;
  /** The longest duration, in milliseconds. After it, the sequences in progress have a short time to end. */
  readonly timeMs: number;
  /** The number of findings after which the exploration ends. */
  readonly findings: number;
  /** The prefix of all created names. */
  readonly prefix: string;
  /** The clock, for the time and for pauses. */
  readonly clock: Clock;
  /** Aborted when no further sequence should begin. */
  readonly stopping: AbortSignal;
  /** Receives each finding at once. */
  readonly onFound: (finding: ExploredFinding) => void;
}

/** A mistake of the service, with the shortest playbook that shows it. */
export interface ExploredFinding extends Breach {
  /** The number of the sequence that showed it, from 1. */
  readonly sequence: number;
  /** The number of steps in its playbook. */
  readonly steps: number;
  /** The text of the playbook that shows it. */
  readonly playbook: string;
  /** Whether the same sequence went wrong again when it was repeated. */
  readonly isRepeatable: boolean;
  /** The same, with the reason if it did not. */
  readonly repeated: Repeated;
}

/** The result of an exploration. */
export interface Explorations {
  /** The number of sequences that were played. */
  readonly sequences: number;
  /** The number of requests to the service. */
  readonly requests: number;
  /** The findings in the order of their sequences. */
  readonly findings: readonly ExploredFinding[];
  /** The number of sequences that ended because an answer was lost. */
  readonly lost: number;
  /** The lists that were not compared because they have too many pages. */
  readonly unread: readonly string[];
  /** The number of assets that no answer showed to be removed. */
  readonly left: number;
  /** Why the last lost answer did not come; undefined if none was lost. */
  readonly lastLoss: string | undefined;
  /** The words with which the service refused the last write; undefined if it refused none, or has done a write. */
  readonly refusal: string | undefined;
}

/** Plays sequences on a service and on the reference, several in parallel, until a limit is reached. Never throws because of the service. */
export async function explore(service: ExploredService, options: ExploringOptions): Promise<Explorations> {
  return new Exploration(service, options).run();
}

class Exploration {
  readonly #service: ExploredService;
  readonly #options: ExploringOptions;
  readonly #asker: Asker;
  readonly #types: readonly ExploredAssetType[];
  readonly #findings: ExploredFinding[] = [];
  readonly #signatures = new Set<string>();
  #until: number;
  #next = 1;
  #played = 0;
  #plays = 0;
  #lost = 0;
  #left = 0;
  #lastLoss: string | undefined;
  #hasWritten = false;
  /** Sequences whose write the service has refused, while it has done none. If it does none at all, they show no mistake. */
  readonly #refused: { readonly said: string | undefined; readonly find: () => Promise<void> }[] = [];

  constructor(service: ExploredService, options: ExploringOptions) {
    this.#service = service;
    this.#options = options;
    this.#asker = new Asker(service.carry, { profile: service.profile, clock: options.clock });
    this.#types = service.assetTypes.map((name) => ({
      name: asWritten(name),
      primaryKey: primaryKeyOf(service.profile.ledger, name),
    }));
    this.#until = options.clock.elapsed() + options.timeMs;
  }

  async run(): Promise<Explorations> {
    const { stopping, clock } = this.#options;
    const onStop = (): void => void (this.#until = Math.min(this.#until, clock.elapsed()));
    stopping.addEventListener("abort", onStop, { once: true });
    await Promise.all(Array.from({ length: LIMITS.exploreAtOnce }, () => this.#lane()));
    if (this.#hasWritten) for (const { find } of this.#refused) await find();
    stopping.removeEventListener("abort", onStop);
    const findings = this.#findings.toSorted((one, other) => one.sequence - other.sequence);
    const { requests, long } = this.#asker;
    const [sequences, lost, left, lastLoss] = [this.#played, this.#lost, this.#left, this.#lastLoss];
    const refusal = this.#hasWritten ? undefined : this.#refused.at(-1)?.said;
    return { sequences, requests, findings, lost, unread: [...long], left, lastLoss, refusal };
  }

  async #lane(): Promise<void> {
    while (!this.#isOver()) {
      const number = this.#next++;
      const sequence = sequenceOf(this.#options.seed, number, this.#types);
      const played = await this.#play(sequence);
      if (!played.isCut) this.#played++;
      if (played.lost !== undefined) {
        this.#lost++;
        this.#lastLoss = played.lost;
      }
      if (played.wrong !== undefined) await this.#findOrWait({ ...played, wrong: played.wrong }, sequence, number);
    }
  }

  async #findOrWait(first: FoundWrong, sequence: readonly ExploredStep[], number: number): Promise<void> {
    const { wrong, steps } = first;
    const find = (): Promise<void> => this.#find(first, sequence, number);
    const isRefused = wrong.kind === "not done" && operationNamed(steps.at(-1)?.uses ?? "").writes;
    if (this.#hasWritten || !isRefused) return find();
    this.#refused.push({ said: wrong.said, find });
  }

  #isOver(): boolean {
    const { sequences, findings } = this.#options;
    const isEnough = this.#next > sequences || this.#findings.length >= findings || this.#lost >= LIMITS.exploreLost;
    if (!this.#hasWritten && this.#refused.length >= LIMITS.exploreRefused) return true;
    return isEnough || this.#isLate();
  }

  #isLate(): boolean {
    const { stopping, clock } = this.#options;
    return stopping.aborted || clock.elapsed() >= this.#until;
  }

  // A service that answers slowly must not keep the exploration far beyond its time.
  #isCut(): boolean {
    return this.#options.clock.elapsed() >= this.#until + LIMITS.exploreEndMs;
  }

  // The same bug is found again and again, so only its first finding is shortened.
  async #find(first: FoundWrong, steps: readonly ExploredStep[], sequence: number): Promise<void> {
    if (this.#isKnown(first)) return;
    const found = await this.#closer(first, steps);
    if (signatureOf(found) !== signatureOf(first) && this.#isKnown(found)) return;
    const { shown, repeated } = await shorten(
      found,
      (fewer) => this.#play(fewer),
      () => this.#isLate(),
    );
    const { findings, seed, onFound } = this.#options;
    if (this.#findings.length >= findings) return;
    const origin = `Found by tokenbook explore --seed ${seed}, sequence ${sequence}.`;
    const finding = {
      ...breachOf(shown),
      sequence,
      steps: shown.steps.length,
      playbook: playbookOf(shown, { origin, repeated }),
      isRepeatable: repeated === "again",
      repeated,
    };
    this.#findings.push(finding);
    onFound(finding);
  }

  // A wrong total only shows at the end of a sequence, so further looks would not show it earlier.
  async #closer(first: FoundWrong, steps: readonly ExploredStep[]): Promise<FoundWrong> {
    if (first.wrong.kind === "unbalanced") return first;
    const closer = await this.#play(withMoreLooks(steps));
    return closer.wrong === undefined ? first : { ...closer, wrong: closer.wrong };
  }

  async #play(steps: readonly ExploredStep[]): Promise<Played> {
    const { profile, orgId, appId, assetTypes, referenceRules: rules, isOwn } = this.#service;
    using reference = openReference({ profile, orgId, appId, assetTypes, rules });
    const explored = {
      service: this.#asker,
      reference: reference.asker,
      profile,
      orgId,
      clock: this.#options.clock,
      isOver: () => this.#isCut(),
    };
    // The last letter ends the number, so that no key is a part of another.
    const key = `${this.#options.prefix}n${(this.#plays++).toString(36)}z`;
    const played = await play(steps, explored, key);
    this.#hasWritten ||= played.hasWritten;
    if (!isOwn) this.#left += await removeWhatCanBe(played.steps, explored, key);
    return played;
  }

  #isKnown(found: FoundWrong): boolean {
    const signature = signatureOf(found);
    const isKnown = this.#signatures.has(signature);
    this.#signatures.add(signature);
    return isKnown;
  }
}
