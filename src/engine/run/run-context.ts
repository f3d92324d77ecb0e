import { formatDuration } from "../../base/time/duration.ts";
import { messageOf } from "../../base/failure.ts";
import { surelyPassed, type Uptime } from "../../base/uptime.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { mayBeAtSame, headingOf, type Target } from "../../environment/target.ts";
import type { RunJournal } from "../../journal/journal.ts";
import type { Proof } from "../../journal/proofs.ts";
import type { ServiceRequest } from "../../operations/request.ts";
import type { Playbook } from "../../playbook/model.ts";
import type {
  AttemptAnswered,
  AttemptSettled,
  Fact,
  Notice,
  ReceiptRead,
  RunClosed,
  RunOpened,
  RunRecord,
  StepStopped,
} from "../../protocol/record.ts";
import type { AttemptState } from "../../protocol/attempt-state.ts";
import { learntAt } from "../../protocol/attempts.ts";
import { advance } from "../../protocol/state.ts";
import type { PassingFailure } from "../../sql/failure.ts";
import type { Fence } from "../../transport/exchange.ts";
import { ReadingContext } from "./reading-context.ts";
import type { HeldMoment } from "./hold.ts";
import type { Place } from "./plan-steps.ts";
import type { EnginePorts } from "../engine-ports.ts";
import { leaseNameOf } from "./run-leases.ts";
import { Waits } from "./waits.ts";
import { type Call, digestOf, ServiceClient } from "../service/service.ts";

/** How a fence's reason begins if the process was paused after it had decided to send a write. */
export const PAUSED = "this process was paused";

/** An attempt of another run, and whether its step was complete before this run read the baseline of its own write. */
export interface AttemptBeside {
  readonly each: AttemptState;
  readonly isComplete: boolean;
}

/** A run in progress: its playbook, its state, and the only ways to change that state. */
export class RunContext extends ReadingContext {
  /** The service, for reads and writes. */
  readonly service: ServiceClient;
  /** What the engine may ask of the world. */
  readonly ports: EnginePorts;
  readonly #journal: RunJournal;
  /** The acting entities whose leases the run holds. */
  readonly #entities = new Set<string>();
  /** The records that no observer has seen yet, in their order. Those of different rounds become durable at different times. */
  readonly #unseen: Unseen[] = [];
  /** When this process recorded an intent or an answer, by the sequence number of that record. */
  readonly #writtenAt = new Map<number, number>();
  readonly #waits: Waits;
  #signal: AbortSignal;
  /** The last record before the database went away, and since when, by the clock's elapsed time; undefined if it has not been away. */
  #away: { readonly sequence: number; readonly since: number } | undefined;
  /** When the run is last known to have changed anything, by the clock's elapsed time. An earlier process may have written until this one began. */
  #changedAt: number;
  /** When this process began, by the wall clock, by the clock's elapsed time and by the machine's uptime. */
  readonly #begun: { readonly at: number; readonly elapsed: number; readonly uptime: Uptime | undefined };

  constructor(
    playbook: Playbook,
    target: Target,
    held: { journal: RunJournal; records: readonly RunRecord[] },
    ports: EnginePorts,
  ) {
    super(playbook, { target, secrets: ports.secrets }, held.records);
    this.ports = ports;
    const { clock } = ports;
    this.#begun = { at: clock.now(), elapsed: clock.elapsed(), uptime: clock.uptime() };
    this.#changedAt = this.#begun.elapsed;
    this.#waits = new Waits(clock);
    this.#signal = ports.stopping;
    this.service = new ServiceClient(target, ports);
    this.#journal = held.journal;
  }

  /** The record with which the run began; an empty one as long as there is none. */
  get opened(): RunOpened {
    const { opened } = this.state;
    return opened ?? emptyOpening(this.target);
  }

  /** Records a fact that may become durable with the next one. */
  note(fact: Fact): void {
    const record = this.#keep(fact);
    advance(this.state, record);
    this.#noteTime(record);
    if (this.#unseen.length === 0) this.ports.observe(record);
    else this.#unseen.push({ record, isDurable: true });
  }

  /** Records a fact. When the promise resolves, it and everything before it is durable. Only then do observers see it. */
  write(fact: Fact): Promise<void> {
    return this.#showOnce(fact, () => this.#journal.flushed());
  }

  /** Records how the run ended. The fact is durable once the run is released, and only then do observers see it. */
  close(closed: RunClosed, release: (journal: RunJournal) => Promise<void>): Promise<void> {
    return this.#showOnce(closed, () => release(this.#journal));
  }

  async #showOnce(fact: Fact, durable: () => Promise<void>): Promise<void> {
    const record = this.#keep(fact);
    // The state changes at once, so that evidence for this write cannot prove another write that is probed at the same time.
    advance(this.state, record);
    const unseen = { record, isDurable: false };
    this.#unseen.push(unseen);
    await durable();
    if (isAboutWrite(record)) this.#changedAt = this.ports.clock.elapsed();
    this.#noteTime(record);
    unseen.isDurable = true;
    this.#showInOrder();
  }

  #noteTime({ kind, sequence }: RunRecord): void {
    if (TIMED.has(kind)) this.#writtenAt.set(sequence, this.ports.clock.elapsed());
  }

  #keep(fact: Fact): RunRecord {
    const { latestTime } = this.service;
    const dated = latestTime !== undefined && isAboutWrite(fact) ? { ...fact, serviceAt: latestTime } : fact;
    return this.#journal.note(this.#waits.addedTo(dated));
  }

  #showInOrder(): void {
    for (let first = this.#unseen[0]; first?.isDurable === true; first = this.#unseen[0]) {
      this.#unseen.shift();
      this.ports.observe(first.record);
    }
  }

  /** Asks the state a question that changes nothing, and waits while the database is away. Rejects with a Failure that ends the run. */
  asked<T>(question: () => T): Promise<T> {
    return this.#journal.asked(question);
  }

  /**
   * Waits until a database that was away answers again. The caller then decides again from the records so far. Rejects with the failure if the
   * run has recorded nothing for too long since the database first went away.
   */
  async untilBack(failure: PassingFailure): Promise<void> {
    const { clock } = this.ports;
    const { sequence } = this.state;
    if (this.#away?.sequence !== sequence) this.#away = { sequence, since: clock.elapsed() };
    else if (clock.elapsed() - this.#away.since >= LIMITS.databaseAwayMs) throw failure;
    await clock.sleep(LIMITS.databaseAwayPauseMs, this.#signal);
    await this.asked(() => this.#journal.assertHeld());
  }

  /** Takes the lease of a write's acting entity, unless the run holds it already. Must be called before the baseline of a probe is read. */
  actAs(call: Pick<Call, "operation" | "caller">): void {
    const entity = leaseNameOf(this.target, call);
    if (!this.target.exclusive || this.#entities.has(entity)) return;
    this.#journal.actAs(entity);
    this.#entities.add(entity);
  }

  /**
   * Whether only this run can have used the write's acting entity since the run first did, so that an effect must be the run's own. Always
   * false if the environment is not marked `exclusive: true`.
   */
  isAlone(call: Pick<Call, "operation" | "caller">): boolean {
    return this.target.exclusive && this.#journal.isAlone(leaseNameOf(this.target, call));
  }

  /** Returns the write of another run in the same environment that a transaction or receipt has already proven. */
  provenElsewhere(id: string, { operation }: Pick<Call, "operation">): Proof | undefined {
    const own = headingOf(this.target);
    const isHere = ({ target }: Proof): boolean => target === undefined || mayBeAtSame(operation.service, target, own);
    return this.#journal.provenElsewhere(id).find(isHere);
  }

  /** Returns a function that gives the attempts of other runs in the same environment at the time of this attempt, in their present state. */
  attemptsBeside(attempt: AttemptState, { operation }: Pick<Call, "operation">): () => readonly AttemptBeside[] {
    const own = headingOf(this.target);
    const runs = this.#journal.runsBeside(attempt, this.target.readLagMs ?? 0);
    const { begun, since = Infinity } = runs;
    return () =>
      runs.now().flatMap(({ opened, steps }) => {
        if (opened !== undefined && !mayBeAtSame(operation.service, opened.target, own)) return [];
        return [...steps.values()].flatMap(({ attempts, completed }) => {
          const wasComplete = completed !== undefined && completed.at <= begun;
          return attempts.map((each) => ({ each, isComplete: wasComplete && (learntAt(each) ?? 0) <= since }));
        });
      });
  }

  /** Shows a notice to the observer. It is not recorded. */
  notify(notice: Notice): void {
    this.ports.observe(notice);
  }

  /** Returns the age of an attempt's intent, in milliseconds. */
  ageOf({ sequence, intendedAt, intended }: Pick<AttemptState, "sequence" | "intendedAt" | "intended">): number {
    return this.#since({ sequence, at: intendedAt, uptime: intended.uptime });
  }

  /**
   * Returns how long ago an attempt left at the latest, in milliseconds. It may leave while its intent is young enough; an attempt of an earlier
   * version may leave as long as an exchange may take. Once an answer, or a missing answer, is recorded, it had left by then. See decision 90.
   */
  goneFor({ answered, ...attempt }: AttemptState): number {
    if (answered === undefined) return this.ageOf(attempt) - mayLeaveWithinMs(this.target);
    return this.#since({ ...answered, uptime: attempt.intended.uptime });
  }

  /** Returns how long ago the service refused an attempt, in milliseconds; 0 if it has not. Until then, it may have carried out some of its items. */
  refusedFor({ answered, receipt, ...attempt }: AttemptState): number {
    const refusal = receipt ?? answered;
    if (refusal === undefined) return 0;
    return this.#since({ ...refusal, uptime: attempt.intended.uptime });
  }

  /**
   * Returns a question that is asked right before a write's first byte leaves. Its answer says why the write must not leave: this process has
   * lost the run, or was paused since it decided to send. Call this when deciding to send, before the intent is recorded. See decision 77.
   */
  fence(): Fence {
    const { clock } = this.ports;
    const [at, began] = [clock.now(), clock.elapsed()];
    return () => {
      try {
        this.#journal.assertHeld();
      } catch (error) {
        return messageOf(error);
      }
      // Suspending the machine stops one of the clocks, and a person may set the other.
      const ageMs = Math.max(clock.now() - at, clock.elapsed() - began);
      if (ageMs <= LIMITS.intentMs) return undefined;
      return `${PAUSED}: it decided to send the write ${formatDuration(Math.round(ageMs))} ago`;
    };
  }

  // The wall clock may have been set. So it counts only for the time between an earlier process and this one, and only as long as the
  // machine has surely been running (decision 218).
  #since({ sequence, at, uptime }: Pick<RunRecord, "sequence" | "at"> & { readonly uptime?: Uptime | undefined }): number {
    const known = this.#writtenAt.get(sequence);
    const { clock } = this.ports;
    if (known !== undefined) return clock.elapsed() - known;
    const begun = this.#begun;
    const apart = Math.min(begun.at - at, surelyPassed(uptime, begun.uptime) ?? Infinity);
    return Math.max(0, apart) + clock.elapsed() - begun.elapsed;
  }

  /** How long the run has surely written nothing, in whole milliseconds. */
  get quietMs(): number {
    return Math.floor(this.ports.clock.elapsed() - this.#changedAt);
  }

  /** Pauses until reads show everything that the run, and an earlier process of it, has written or read, if the environment declares `readLag`. */
  async untilReadsAreRecent(step: string): Promise<void> {
    const leftMs = (this.target.readLagMs ?? 0) - this.quietMs;
    if (leftMs > 0) await this.pause(Math.min(leftMs, LIMITS.settleMs), step);
  }

  /** Makes all records durable and pauses for a step; the step's next record counts the pause. Ends early when the run must stop. */
  async pause(ms: number, step: string | undefined): Promise<void> {
    await this.#journal.flushed();
    const pause = (): Promise<void> => this.ports.clock.sleep(ms, this.#signal);
    await (step === undefined ? pause() : this.#waits.during(step, pause));
  }

  /** Holds the run at a moment of a step as long as the port says, with all records durable. The step's waits and deadlines begin afterwards. */
  async hold(when: HeldMoment["when"], place: Place, inputOf?: () => JsonObject): Promise<void> {
    const { hold, secrets } = this.ports;
    if (hold === undefined || this.stopping) return;
    await this.#journal.flushed();
    const { playbook, target, state } = this;
    const run = { playbook, target, state, secrets, scopeAt: (at: Pick<Place, "frame" | "rounds">) => this.scopeAt(at) };
    const held = hold({ when, place, run, input: inputOf?.() }, this.#signal);
    if (held === undefined) return;
    const own = state.steps.get(place.address);
    const isOver = own?.completed !== undefined || own?.stopped !== undefined;
    const isTimed = place.step.kind === "call" || place.step.kind === "check";
    await (isTimed && !isOver ? this.#waits.during(place.address, () => held) : held);
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }

  /** From now on, only the end of the grace time stops the run. */
  beginGrace(): void {
    this.#signal = AbortSignal.timeout(LIMITS.graceMs);
  }

  /** Does the work of a write. After a stop, the signal is aborted when the grace time for the answer is over. */
  async whileAwaited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const [lost, over] = [new AbortController(), new AbortController()];
    const wait = async (): Promise<void> => {
      await this.ports.clock.sleep(LIMITS.writeGraceMs, over.signal);
      if (!over.signal.aborted) lost.abort();
    };
    const stop = this.#signal;
    const onStop = (): void => void wait();
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop);
    try {
      return await work(lost.signal);
    } finally {
      stop.removeEventListener("abort", onStop);
      over.abort();
    }
  }

  /** Returns a digest of a request for the intent: equal requests have equal digests. */
  digestOf(request: ServiceRequest): string {
    return digestOf(request, { runId: this.opened.runId, redact: this.ports.secrets.redact });
  }

  /** Records that a step stopped. */
  stop(place: Place, stopped: Omit<StepStopped, "kind" | "step">): void {
    this.note({ kind: "step.stopped", step: place.address, ...stopped });
  }
}

/**
 * Returns how long after its intent a request may leave, in milliseconds. A request of an earlier version may leave as long as an exchange
 * may take.
 */
export function mayLeaveWithinMs({ timeoutMs }: Pick<Target, "timeoutMs">): number {
  return Math.max(LIMITS.intentMs, timeoutMs);
}

function isAboutWrite(fact: Fact): fact is AttemptAnswered | ReceiptRead | AttemptSettled {
  return fact.kind === "attempt.answered" || fact.kind === "receipt.read" || fact.kind === "attempt.settled";
}

const TIMED: ReadonlySet<RunRecord["kind"]> = new Set(["attempt.intended", "attempt.answered", "receipt.read"]);

interface Unseen {
  readonly record: RunRecord;
  isDurable: boolean;
}

function emptyOpening(target: Target): RunOpened {
  const playbook = { file: "", name: "", digest: "" };
  return { kind: "run.opened", format: 1, runId: "", runKey: "", playbook, steps: [], inputs: {}, target: headingOf(target) };
}
