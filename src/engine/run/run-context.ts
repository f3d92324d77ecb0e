import { formatDuration } from "../../base/duration.ts";
import { messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { areAtSame, headingOf, type Target } from "../../environment/target.ts";
import type { RunJournal } from "../../journal/journal.ts";
import type { Proof } from "../../journal/proofs.ts";
import type { ServiceRequest } from "../../operations/request.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Fact, Notice, RunClosed, RunOpened, RunRecord, StepStopped } from "../../protocol/record.ts";
import { advance, type AttemptState } from "../../protocol/state.ts";
import type { Fence } from "../../transport/exchange.ts";
import { Looking } from "./reading-context.ts";
import type { Place } from "./plan-steps.ts";
import type { EnginePorts } from "../engine-ports.ts";
import { leaseNameOf } from "./run-leases.ts";
import { type Call, digestOf, ServiceClient } from "../service/service.ts";

/** One run under way: its playbook, its state, and the only ways to change that state. */
export class RunContext extends Looking {
  readonly service: ServiceClient;
  readonly ports: EnginePorts;
  readonly #journal: RunJournal;
  /** Those that the run is known to have taken. */
  readonly #entities = new Set<string>();
  /** Records of which nobody has been told, in their order: those of several rounds become durable at different times. */
  readonly #untold: Telling[] = [];
  /** When this process recorded the intent of an attempt, and its answer, by the sequence of that record. */
  readonly #writtenAt = new Map<number, number>();
  #signal: AbortSignal;
  /** When the run was last known to have changed anything, by the clock's elapsed time; it may have done so until this process began. */
  #changedAt: number;

  constructor(
    playbook: Playbook,
    target: Target,
    held: { journal: RunJournal; records: readonly RunRecord[] },
    ports: EnginePorts,
  ) {
    super(playbook, { target, secrets: ports.secrets }, held.records);
    this.ports = ports;
    this.#changedAt = ports.clock.elapsed();
    this.#signal = ports.stopping;
    this.service = new ServiceClient(target, ports);
    this.#journal = held.journal;
  }

  get opened(): RunOpened {
    const { opened } = this.state;
    return opened ?? emptyOpening(this.target);
  }

  /** Records a fact that may become durable with the next one. */
  note(fact: Fact): void {
    const record = this.#journal.note(fact);
    advance(this.state, record);
    if (this.#untold.length === 0) this.ports.observe(record);
    else this.#untold.push({ record, isDurable: true });
  }

  /** Records a fact; it and everything before it is durable when the promise is kept, and only then is anybody told. */
  write(fact: Fact): Promise<void> {
    return this.#tellOnce(fact, () => this.#journal.flushed());
  }

  /** Records how the run ended; it is durable once the run is released, and only then is anybody told. */
  close(closed: RunClosed, release: (journal: RunJournal) => Promise<void>): Promise<void> {
    return this.#tellOnce(closed, () => release(this.#journal));
  }

  async #tellOnce(fact: Fact, durable: () => Promise<void>): Promise<void> {
    const record = this.#journal.note(fact);
    // At once: what proves this write may not prove another that is looked at meanwhile.
    advance(this.state, record);
    const telling = { record, isDurable: false };
    this.#untold.push(telling);
    await durable();
    if (CHANGING.has(record.kind)) this.#changedAt = this.ports.clock.elapsed();
    if (TIMED.has(record.kind)) this.#writtenAt.set(record.sequence, this.ports.clock.elapsed());
    telling.isDurable = true;
    this.#tellInOrder();
  }

  #tellInOrder(): void {
    for (let first = this.#untold[0]; first?.isDurable === true; first = this.#untold[0]) {
      this.#untold.shift();
      this.ports.observe(first.record);
    }
  }

  /** Takes whoever a write is about to be made as, if the run has not. To be called before anything that a probe will rest on is read. */
  actAs(call: Pick<Call, "operation" | "caller">): void {
    const entity = leaseNameOf(this.target, call);
    if (!this.target.exclusive || this.#entities.has(entity)) return;
    this.#journal.actAs(entity);
    this.#entities.add(entity);
  }

  /**
   * Whether nobody else can have acted as whoever a write is made as, since this run did for the first time: what such a write did
   * can only be this run's. False where the environment does not say `exclusive: true`.
   */
  isAlone(call: Pick<Call, "operation" | "caller">): boolean {
    return this.target.exclusive && this.#journal.isAlone(leaseNameOf(this.target, call));
  }

  /** The write of another run in the same place that has been proven by a transaction, or a receipt. */
  provenElsewhere(id: string, { operation }: Pick<Call, "operation">): Proof | undefined {
    const own = headingOf(this.target);
    const isHere = ({ target }: Proof): boolean => target === undefined || areAtSame(operation.service, target, own);
    return this.#journal.provenElsewhere(id).find(isHere);
  }

  tell(notice: Notice): void {
    this.ports.observe(notice);
  }

  /** How long ago an attempt was to be sent, in milliseconds. */
  ageOf({ sequence, intendedAt }: Pick<AttemptState, "sequence" | "intendedAt">): number {
    return this.#since({ sequence, at: intendedAt });
  }

  /**
   * How long ago an attempt had left, at the least, in milliseconds: it may leave as long as its intent is young enough, and one of an earlier
   * version as long as an exchange may take. Where its answer, or that none came, is recorded, it had left by then. See decision 90.
   */
  goneFor({ answered, ...attempt }: AttemptState): number {
    const latestMs = Math.max(LIMITS.intentMs, this.target.timeoutMs);
    return answered === undefined ? this.ageOf(attempt) - latestMs : this.#since(answered);
  }

  /**
   * What a write is asked right before its first byte leaves: why it must not, if the run is not this process's any more, or if this process
   * was stopped since it made up its mind to send. Called when it does, before the intent is recorded. Its reasons: decision 77.
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
      // A suspended machine stops one clock, and somebody may set the other.
      const ageMs = Math.max(clock.now() - at, clock.elapsed() - began);
      if (ageMs <= LIMITS.intentMs) return undefined;
      return `it was to be sent ${formatDuration(Math.round(ageMs))} ago: this process was held up since then`;
    };
  }

  // Of what this process has recorded, the clock of the wall may be set meanwhile; of an earlier process nothing else is known.
  #since({ sequence, at }: Pick<RunRecord, "sequence" | "at">): number {
    const known = this.#writtenAt.get(sequence);
    const { clock } = this.ports;
    return known === undefined ? Math.max(0, clock.now() - at) : clock.elapsed() - known;
  }

  /** Whether a read that begins now shows all that the run has written, as the environment declares how old a reading may be. */
  get readsAreRecent(): boolean {
    return this.#untilRecentMs() === 0;
  }

  /** Pauses until reads show all that the run has written, where the environment declares when that is. */
  async untilReadsAreRecent(): Promise<void> {
    const leftMs = this.#untilRecentMs();
    if (leftMs !== undefined && leftMs > 0) await this.pause(Math.min(leftMs, LIMITS.settleMs));
  }

  #untilRecentMs(): number | undefined {
    const { readLagMs } = this.target;
    if (readLagMs === undefined || readLagMs === 0) return readLagMs;
    return Math.max(0, readLagMs - (this.ports.clock.elapsed() - this.#changedAt));
  }

  /** Pauses; what is known so far is durable meanwhile. Ends early when the run is to stop. */
  async pause(ms: number): Promise<void> {
    await this.#journal.flushed();
    await this.ports.clock.sleep(ms, this.#signal);
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }

  /** From now on only the end of the grace time stops the run. */
  beginGrace(): void {
    this.#signal = AbortSignal.timeout(LIMITS.graceMs);
  }

  /** Does something for a write, and hands it a signal that is aborted when its answer has been waited for long enough after a stop. */
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

  /** A digest of a request, for the intent: a request that is the same has the same. */
  digestOf(request: ServiceRequest): string {
    return digestOf(request, { runId: this.opened.runId, redact: this.ports.secrets.redact });
  }

  stop(place: Place, stopped: Omit<StepStopped, "kind" | "step">): void {
    this.note({ kind: "step.stopped", step: place.address, ...stopped });
  }
}

const CHANGING: ReadonlySet<RunRecord["kind"]> = new Set(["attempt.answered", "receipt.read", "attempt.settled"]);
const TIMED: ReadonlySet<RunRecord["kind"]> = new Set(["attempt.intended", "attempt.answered"]);

interface Telling {
  readonly record: RunRecord;
  isDurable: boolean;
}

function emptyOpening(target: Target): RunOpened {
  const playbook = { file: "", name: "", digest: "" };
  return { kind: "run.opened", format: 1, runId: "", runKey: "", playbook, steps: [], inputs: {}, target: headingOf(target) };
}
