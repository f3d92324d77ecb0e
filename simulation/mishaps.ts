import { type CommitFault, type Fault, type RequestFault, describeFault } from "./faults.ts";
import type { Appended, CommitFaults } from "./process.ts";
import type { Dice } from "../src/base/numbers/dice.ts";
import type { VirtualTime } from "./time.ts";

/** The fault of one request, with its delay. */
export interface Befalls {
  readonly fault: RequestFault;
  readonly ms: number;
}

// About the duration of one write, because the moments between writes are the misleading ones.
const LEAST_STALE_MS = 20;

/** The faults of a run. Each strikes once. */
export class Mishaps implements CommitFaults {
  readonly struck: Fault[] = [];
  readonly #story: string[];
  readonly #reached = new Set<string>();
  readonly #time: VirtualTime;
  readonly #began: number;
  readonly #faults: readonly Fault[];
  #left: readonly Fault[];
  #reads = 0;
  readonly #requests = new Map<string, number>();
  readonly #commits = new Map<Fault, number>();

  /** `story` receives a line for each event. */
  constructor(faults: readonly Fault[], time: VirtualTime, story: string[]) {
    this.#story = story;
    this.#faults = faults;
    this.#left = faults;
    this.#time = time;
    this.#began = time.elapsed();
  }

  /** Adds a line to the story. */
  log(line: string): void {
    this.#story.push(`${((this.#time.elapsed() - this.#began) / 1_000).toFixed(3).padStart(10)} s  ${line}`);
  }

  /** Returns the fault of the next request of a step's write. */
  onWrite(step: string): Befalls | undefined {
    const request = (this.#requests.get(step) ?? 0) + 1;
    this.#requests.set(step, request);
    const found = this.#left.find((fault) => fault.at === "write" && fault.step === step && fault.request === request);
    if (found?.at !== "write") return undefined;
    this.#strike(found);
    return { fault: found.what, ms: found.ms };
  }

  /** Returns the fault of the next read. */
  onRead(): Befalls | undefined {
    this.#reads++;
    const found = this.#left.find((fault) => fault.at === "read" && fault.nth === this.#reads);
    if (found?.at !== "read") return undefined;
    this.#strike(found);
    return { fault: found.what, ms: found.ms };
  }

  /** Returns how old the state is that the next read shows; 0 for the present state. */
  onAnswer(dice: Dice): number {
    const found = this.#faults.find((fault) => fault.at === "reads");
    if (found === undefined || !dice.chance(found.what.share)) return 0;
    if (this.#left.includes(found)) this.#strike(found);
    return dice.span(found.what.share === 1 ? found.ms / 2 : LEAST_STALE_MS, found.ms);
  }

  before(records: readonly Appended[]): CommitFault["effect"] | undefined {
    return this.#onCommit("before", records);
  }

  after(records: readonly Appended[]): CommitFault["effect"] | undefined {
    return this.#onCommit("after", records);
  }

  /** Whether a commit has reached the moment at which the fault strikes. */
  hasReached({ boundary, step, what }: Fault & { readonly at: "commit" }): boolean {
    return this.#reached.has(momentOf(what.moment, boundary, step));
  }

  #onCommit(moment: CommitFault["moment"], records: readonly Appended[]): CommitFault["effect"] | undefined {
    for (const { kind, step } of records) {
      this.#reached.add(momentOf(moment, kind));
      if (step !== undefined) this.#reached.add(momentOf(moment, kind, step));
    }
    for (const fault of this.#left) {
      if (fault.at !== "commit" || fault.what.moment !== moment) continue;
      if (!records.some(({ kind, step }) => kind === fault.boundary && (fault.step === undefined || step === fault.step)))
        continue;
      const count = (this.#commits.get(fault) ?? 0) + 1;
      this.#commits.set(fault, count);
      if (count < fault.nth) continue;
      this.#strike(fault);
      return fault.what.effect;
    }
    return undefined;
  }

  #strike(fault: Fault): void {
    this.#left = this.#left.filter((each) => each !== fault);
    this.struck.push(fault);
    this.log(`! ${describeFault(fault)}`);
  }
}

function momentOf(moment: CommitFault["moment"], kind: string, step = ""): string {
  return `${moment} ${kind} ${step}`;
}
