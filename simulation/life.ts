import { Failure, messageOf } from "../src/base/failure.ts";
import { LIMITS } from "../src/base/limits.ts";
import type { EnginePorts } from "../src/engine/engine-ports.ts";
import { newRunName } from "../src/engine/run/run-names.ts";
import { resolveWrite } from "../src/engine/write/resolve-write.ts";
import { runWithKey } from "../src/engine/run/run-with-key.ts";
import type { RunParts } from "../src/engine/run/run-parts.ts";
import { resumeRun, startRun } from "../src/engine/run/start-run.ts";
import type { Target } from "../src/environment/target.ts";
import type { FileReader } from "../src/playbook/playbook-files.ts";
import type { Playbook } from "../src/playbook/model.ts";
import { openWrites } from "../src/protocol/open-writes.ts";
import { isNotice, type RunEvent, type RunOutcome, type RunRecord } from "../src/protocol/record.ts";
import { stateOf } from "../src/protocol/state.ts";
import { releaseByWord } from "./bugs.ts";
import type { Mishaps } from "./mishaps.ts";
import type { SimulatedNetwork } from "./network.ts";
import { Dead, SimulatedProcess } from "./process.ts";
import type { Dice } from "../src/base/numbers/dice.ts";
import { isBroken, type Witness } from "./witness.ts";
import { nothingToCompare, SECRETS, type World } from "./world.ts";

/** Everything that a run meets. */
export interface Circumstances {
  readonly world: World;
  readonly playbook: Playbook;
  readonly target: Target;
  readonly network: SimulatedNetwork;
  readonly mishaps: Mishaps;
  readonly witness: Witness;
  readonly dice: Dice;
  /** Draws what people decide, and on which machine. */
  readonly people: Dice;
  /** Returns whether a write has taken effect, as a person finds who checks the ledger when everything is at rest. */
  readonly tookEffect: (step: string) => boolean;
  /** Whether the run has a caller's key. */
  readonly isKeyed: boolean;
  /** The number of the last process before this run's first one. */
  readonly processes: number;
  /** The other run that the same people start before this one, and each time it has stopped, if any. */
  readonly beside: (() => Promise<void>) | undefined;
  /** May set the wall clock before a process begins. */
  readonly setClock: () => void;
  /** Returns the other run that the same people lead at the same time, if any. */
  readonly company: () => Life | undefined;
}

const KEY = "ORDER-17";
const GIVEN = { inputs: {}, env: {} };
const NO_FILES: FileReader = { read: () => undefined };

/** How a process ended: with the run's outcome, or without one. */
type End = RunOutcome | "halted" | "gave up";

function outcomeOf(end: End): RunOutcome | undefined {
  return end === "halted" || end === "gave up" ? undefined : end;
}

// Outcomes that nobody can clear up by reading.
const NEEDS_TRUTH: ReadonlySet<string> = new Set(["unknown", "conflict"]);

const MOST_EARLY_RESUMES = 3;
// Doubled, because the other run may block this one as long as it needs people itself.
const MOST_LATE_RESUMES = 40;
const SHARE_OF_RACES = 0.4;
const SHARE_OF_JOINED = 0.7;
const SHARE_OF_RELEASES = 0.85;
const SHARE_OF_LOSSES = 0.15;
const MOST_LOST = 6;
const SHARE_OF_PATIENCE = 0.8;
const SHARE_OF_EARLY_WORDS = 0.5;
const MACHINES = ["here", "elsewhere"];
const SHORT_WAIT_MS = 5_000;
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_800_000;
// The limit, and a little more for what is read or sent in the same moment.
const MOST_TO_STOP_MS = LIMITS.writeGraceMs + 100;
const REST_MS = 600_000;
const LONGEST_DUPLICATE_MS = 5_000;
// Many times the longest delay in a schedule.
const MOST_RESTS = 100;

/**
 * One run from its start until nothing more happens to it. People resume it until it has passed, sometimes early. Once everything is at
 * rest, they check the ledger and resolve the writes with unknown outcome.
 */
export class Life {
  readonly #all: Circumstances;
  #processes: number;
  /** The process that last started or resumed the run. */
  process: SimulatedProcess | undefined;
  /** The records that the witness has seen. A process that resumes reports earlier records again. */
  readonly #reported = new Set<string>();

  constructor(circumstances: Circumstances) {
    this.#all = circumstances;
    this.#processes = circumstances.processes;
  }

  get #runId(): string | undefined {
    return this.#all.world.disk.runOf(this.#all.playbook.file);
  }

  /** Returns the run's outcome; `undefined` if it never ends. */
  async lead(): Promise<RunOutcome | undefined> {
    const { world, dice, people, witness, beside } = this.#all;
    await beside?.();
    let end = await this.#begin();
    for (let left = dice.below(MOST_EARLY_RESUMES + 1); left > 0 && end !== "passed"; left--) {
      await beside?.();
      await world.time.sleep(dice.span(SHORTEST_WAIT_MS, LONGEST_WAIT_MS));
      end = dice.chance(SHARE_OF_RACES) && this.#runId !== undefined ? await this.#race() : await this.#resumeEarly();
      if (NEEDS_TRUTH.has(end) && people.chance(SHARE_OF_EARLY_WORDS)) end = await this.#resolveEarly(end);
    }
    for (let left = MOST_LATE_RESUMES; left > 0 && end !== "passed"; left--) {
      await this.#rest();
      await this.#release();
      await this.#runAgain();
      if (NEEDS_TRUTH.has(end)) await this.#resolve();
      const before = end;
      end = await this.#go();
      if (end === "failed" && before === "failed") break;
    }
    await this.#rest();
    if (end === "passed" && this.#all.isKeyed) end = await this.#go();
    if (end === "passed" || end === "failed") return end;
    witness.sees("no end", `however often it was resumed and its writes resolved, the run is ${end}`);
    return outcomeOf(end);
  }

  /** Begins the run, resolves what it leaves open, and does no more. */
  async once(): Promise<void> {
    for (let left = MOST_LATE_RESUMES; left > 0 && NEEDS_TRUTH.has(await this.#go()); left--) {
      await this.#rest();
      await this.#resolve();
    }
  }

  /** Leads a run that nobody resolves: it is resumed once when everything is at rest. `atFirst` receives its first outcome. */
  async leadUnaided(atFirst: (outcome: RunOutcome | undefined) => void): Promise<RunOutcome | undefined> {
    const first = await this.#go();
    atFirst(outcomeOf(first));
    if (first === "passed") return first;
    await this.#rest();
    return outcomeOf(await this.#go());
  }

  /** Returns the records in the journal; `undefined` if they cannot be read. */
  records(): readonly RunRecord[] | undefined {
    const { world, witness } = this.#all;
    const runId = this.#runId;
    try {
      return runId === undefined ? [] : world.store.read(runId);
    } catch (error) {
      if (!isBroken(error)) throw error;
      witness.sees("broken journal", error.message);
      return undefined;
    }
  }

  // A caller may give its command with a key twice, like a scheduler that fires twice, or a caller that has lost the first answer.
  async #begin(): Promise<End> {
    const { isKeyed, dice, world } = this.#all;
    if (!isKeyed || !dice.chance(SHARE_OF_RACES)) return this.#go();
    world.disk.mount();
    const again = world.time.sleep(dice.span(1, LONGEST_DUPLICATE_MS)).then(() => this.#carry());
    const [first, second] = await Promise.all([this.#carry(), again]);
    return first === "gave up" ? second : first;
  }

  // Everything is at rest, so only a person can settle what is open now. Until then, the same command must not begin another run.
  async #runAgain(): Promise<void> {
    const { world, mishaps, isKeyed, dice } = this.#all;
    if (isKeyed || this.#runId === undefined || openWrites(stateOf(this.records() ?? [])).length === 0) return;
    world.disk.mount();
    await this.#inProcess(async (process) => {
      mishaps.log(`somebody runs the playbook again beside the open write: ${process.name}`);
      return startRun(this.#partsOf(process), GIVEN, newRunName(world.time.now(), dice));
    });
  }

  // Two people resume the run at the same moment. One of them gets it, the other is refused.
  async #race(): Promise<End> {
    const [first, second] = await Promise.all([this.#go(), this.#go()]);
    return first === "gave up" ? second : first;
  }

  async #go(): Promise<End> {
    this.#all.world.disk.mount();
    return this.#carry();
  }

  // If a process holds the run, a person waits for it to end if they can see it. If it is on another machine, they may believe that it is
  // gone.
  async #resumeEarly(): Promise<End> {
    const { world, people, beside, company } = this.#all;
    if (people.chance(SHARE_OF_RELEASES)) await this.#release();
    // Otherwise the journal would lose the end of another run.
    const isAlone = beside === undefined && company() === undefined;
    if (people.chance(SHARE_OF_LOSSES) && isAlone && world.liveness.allEnded) await this.#goDamaged();
    const end = await this.#go();
    const held = this.#held();
    if (end !== "gave up" || held === undefined || !people.chance(SHARE_OF_PATIENCE)) return end;
    await Promise.race([held.ended, world.time.sleep(LONGEST_WAIT_MS)]);
    await world.time.sleep(people.span(SHORTEST_WAIT_MS, SHORT_WAIT_MS));
    return this.#go();
  }

  // The journal has lost its end. A process notices this, and then the files are restored.
  async #goDamaged(): Promise<void> {
    const { world, people, mishaps } = this.#all;
    const runId = this.#runId;
    if (runId === undefined) return;
    const restore = world.disk.cut(runId, people.below(MOST_LOST) + 1);
    mishaps.log("! the journal has lost its last records");
    await this.#go();
    restore();
  }

  #held(): SimulatedProcess | undefined {
    const { store, liveness } = this.#all.world;
    const runId = this.#runId;
    const holder = runId === undefined ? undefined : store.leases.holding(runId)?.holder;
    return holder === undefined ? undefined : liveness.processOf(holder);
  }

  // Releases what processes of another machine hold, whether they are gone or not: the run, and what was never begun.
  async #release(): Promise<void> {
    const { world, mishaps } = this.#all;
    const { release = releaseByWord } = world.bug;
    await this.#inProcess(async () => {
      const isOurs = (runId: string): boolean => runId === this.#runId || !world.store.knows(runId);
      const unknown = world.store.leases.list().filter(({ life, runId }) => life === "unknown" && isOurs(runId));
      for (const runId of new Set(unknown.map((lease) => lease.runId))) {
        mishaps.log("somebody says that the process of another machine is gone");
        await release(world.store, runId);
      }
      return "interrupted";
    });
  }

  // While no request is in flight, only a living process can still send a write that is not in the ledger.
  async #resolveEarly(end: End): Promise<End> {
    const { network, world } = this.#all;
    if (network.isCarrying || world.service.pending) return end;
    await this.#resolve();
    return this.#go();
  }

  // Starts the run, or resumes an existing one, in a process.
  async #carry(): Promise<End> {
    const { mishaps, isKeyed } = this.#all;
    const runId = this.#runId;
    const theirs = this.#joined();
    this.process = theirs ?? this.#newProcess();
    return this.#inProcess(async (process) => {
      const how = isKeyed ? "gives the key of" : runId === undefined ? "starts" : "resumes";
      mishaps.log(`${process.name} ${how} the run${process === theirs ? ", beside the other" : ""}`);
      const outcome = await this.#run(process, runId);
      mishaps.log(`${process.name} says: ${outcome}`);
      return outcome;
    }, this.process);
  }

  #run(process: SimulatedProcess, runId: string | undefined): Promise<RunOutcome> {
    const { world, playbook, dice, isKeyed } = this.#all;
    const parts = this.#partsOf(process);
    const reload = (): { playbook: Playbook; files: FileReader } => ({ playbook, files: NO_FILES });
    const name = newRunName(world.time.now(), dice);
    if (isKeyed) return runWithKey(parts, GIVEN, name, { key: KEY, reload, say: () => undefined });
    return runId === undefined ? startRun(parts, GIVEN, name) : resumeRun(parts, runId);
  }

  #partsOf(process: SimulatedProcess): RunParts {
    const { world, playbook, target } = this.#all;
    return { playbook, target, store: world.store, ports: this.#portsOf(process) };
  }

  async #resolve(): Promise<void> {
    const { world, tookEffect, mishaps } = this.#all;
    const runId = this.#runId;
    if (runId === undefined) return;
    for (const { step } of openWrites(stateOf(this.records() ?? []))) {
      const verdict = tookEffect(step) ? "applied" : "absent";
      mishaps.log(`somebody looks into the ledger, and says that ${step} is ${verdict}`);
      await this.#inProcess(async () => {
        await resolveWrite(world.store, runId, { step, verdict, because: "looked into the ledger", who: "somebody" });
        return "interrupted";
      });
    }
  }

  // One process may act for several runs, like `run --jobs` or a worker.
  #joined(): SimulatedProcess | undefined {
    const { company, people } = this.#all;
    const theirs = company()?.process;
    const mayJoin = theirs?.isAtWork === true && theirs !== this.process && people.chance(SHARE_OF_JOINED);
    return mayJoin ? theirs : undefined;
  }

  #newProcess(): SimulatedProcess {
    this.#all.setClock();
    return new SimulatedProcess(++this.#processes, this.#all.people.pick(MACHINES));
  }

  async #inProcess(work: (process: SimulatedProcess) => Promise<End>, process = this.#newProcess()): Promise<End> {
    const stillGoing = this.#onceInterrupted(process);
    let isDone = false;
    const done = process
      .run(this.#all.mishaps, () => work(process))
      .catch((error: unknown) => this.#failed(process, error))
      .finally(stillGoing)
      .finally(() => (isDone = true));
    // A person who starts a run again first ends the process that has not begun it or, if that process also acts for another run, waits for
    // it.
    const halted = (): End | Promise<End> => {
      if (isDone) return done;
      if (this.#runId === undefined && process.isShared) return Promise.race([done, process.ended.then(() => "halted" as const)]);
      if (this.#runId === undefined) process.die();
      return "halted";
    };
    return Promise.race([done, process.halted.then(halted)]);
  }

  // An interrupted process waits only for the answer to a write, and only as long as the limits say.
  #onceInterrupted(process: SimulatedProcess): () => void {
    const { world, witness } = this.#all;
    let at: number | undefined;
    process.stopping.addEventListener("abort", () => (at = world.time.elapsed()));
    return () => {
      const tookMs = world.time.elapsed() - (at ?? world.time.elapsed());
      if (tookMs > MOST_TO_STOP_MS && process.alive && !process.wasStopped)
        witness.sees("hang", `${process.name} continued for ${tookMs / 1_000} s after it was interrupted`);
    };
  }

  #failed(process: SimulatedProcess, error: unknown): End {
    if (error instanceof Dead || !process.alive) return "halted";
    const { mishaps, witness } = this.#all;
    mishaps.log(`${process.name} gives up: ${messageOf(error)}`);
    if (!(error instanceof Failure)) witness.sees("crash", String(error instanceof Error ? error.stack : error));
    else if (isBroken(error)) witness.sees("broken journal", error.message);
    return "gave up";
  }

  #portsOf(process: SimulatedProcess): EnginePorts {
    const { world, network } = this.#all;
    const { exchange: flawed = (exchange) => exchange, clock: flawedClock = (clock) => clock } = world.bug;
    return {
      clock: flawedClock(process.clock(world.time)),
      cwd: "/simulated",
      exchange: flawed((outgoing) => network.exchange(outgoing, process)),
      secrets: SECRETS,
      drifts: nothingToCompare,
      observe: (event) => this.#observe(process, event),
      stopping: process.stopping,
    };
  }

  #observe(process: SimulatedProcess, event: RunEvent): void {
    const { mishaps, witness, network } = this.#all;
    if (event.kind === "run.opened") witness.begins(event.runId);
    if (event.kind === "run.claimed") network.claims(process);
    if (event.kind === "attempt.intended") network.intends(process, event);
    if (isNotice(event) || !this.#isNews(event)) return;
    switch (event.kind) {
      default:
        return;
      case "attempt.answered":
        mishaps.log(`${process.name} takes the answer to ${event.step} for: ${event.meaning}`);
        if (event.meaning === "acknowledged") network.keep(event);
        return witness.hears(event);
      case "run.closed":
        return witness.hears(event);
      case "attempt.settled":
        return mishaps.log(`${process.name} settles ${event.step} (attempt ${event.attempt}) as ${event.verdict}`);
      case "step.completed":
        mishaps.log(`${process.name} completes ${event.step}: ${event.outcome}`);
        return witness.hears(event);
      case "step.stopped":
        return mishaps.log(
          `${process.name} stops ${event.step} as ${event.outcome}: ${event.problem.why ?? event.problem.message}`,
        );
    }
  }

  // A record that was not durable may be followed by another one with the same number, under another claim.
  #isNews({ epoch, sequence }: RunRecord): boolean {
    const before = this.#reported.size;
    return this.#reported.add(`${epoch}:${sequence}`).size > before;
  }

  // Waits until every request has arrived, every stopped process has continued to its end, and the other run is at rest too.
  async #rest(): Promise<void> {
    const { time, service } = this.#all.world;
    let left = MOST_RESTS;
    // Each rest gives the other run a turn.
    do await time.rest(REST_MS);
    while (--left > 0 && (!time.isIdle || service.pending));
  }
}
