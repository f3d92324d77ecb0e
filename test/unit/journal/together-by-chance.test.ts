import { expect, test } from "vitest";
import { SimulatedDisk } from "../../../simulation/disk.ts";
import { Dice } from "../../../src/base/numbers/dice.ts";
import { systemClock } from "../../../src/base/ports.ts";
import type { RunJournal } from "../../../src/journal/journal.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { RunRecord } from "../../../src/protocol/record.ts";
import { intended, opened } from "../protocol/facts.ts";

// Several runs of one process record facts, wait for them, and lose their claims and their disk, in any order. The promises about a single
// commit must hold for each of the runs.
const SEEDS = 400;
const DEEDS = 60;

/** A run, the facts that it has recorded, and what it learned about them. */
class Run {
  readonly id: string;
  readonly journal: RunJournal;
  readonly said: RunRecord[];
  /** How many of its records were kept when the run first learned that a record could not be kept. */
  keptAtFailure: number | undefined;
  isTakenOver = false;

  constructor(id: string, journal: RunJournal, said: readonly RunRecord[]) {
    this.id = id;
    this.journal = journal;
    this.said = [...said];
  }
}

class FillingDisk extends SimulatedDisk {
  isFull = false;

  protected override beforeCommit(): void {
    if (this.isFull) throw new Error("database or disk is full");
  }
}

class Scene {
  readonly dice: Dice;
  readonly disk = new FillingDisk();
  readonly runs: Run[] = [];
  readonly #store: JournalStore;
  readonly #waiting: Promise<void>[] = [];
  #turn: (() => void)[] = [];

  constructor(seed: number) {
    this.dice = new Dice(seed);
    this.#store = JournalStore.over(this.disk, {
      clock: systemClock,
      redact: (text) => text,
      inNextTurn: (work) => void this.#turn.push(work),
    });
  }

  async begin(): Promise<void> {
    const runId = `run${this.runs.length + 1}`;
    const begun = this.#store.begin({ ...opened, runId });
    this.endTurn();
    const { journal, records } = await begun;
    this.runs.push(new Run(runId, journal, records));
  }

  say(run: Run): void {
    run.said.push(run.journal.note(intended(`step${run.said.length}`)));
  }

  /** Waits until the facts so far are kept. If the wait succeeds, all of them must be kept; if it fails, there must be a reason. */
  wait(run: Run): void {
    const said = run.said.length;
    const mayFail = (): boolean => run.isTakenOver || run.keptAtFailure !== undefined || this.disk.isFull;
    const kept = (): void => {
      expect(this.kept(run)).toBeGreaterThanOrEqual(said);
      expect(run.keptAtFailure).toBeUndefined();
    };
    const lost = (): void => {
      expect(mayFail()).toBe(true);
      run.keptAtFailure ??= this.kept(run);
    };
    this.#waiting.push(run.journal.flushed().then(kept, lost));
  }

  force(run: Run): void {
    try {
      run.journal.flush();
    } catch {
      run.keptAtFailure ??= this.kept(run);
    }
  }

  takeOver(run: Run): void {
    run.isTakenOver = true;
    this.#store.leases.takeOver(run.id);
  }

  /** Ends the turn. The disk is full or has room. */
  async pass(isFull: boolean): Promise<void> {
    this.disk.isFull = isFull;
    this.endTurn();
    await Promise.all(this.#waiting.splice(0));
    this.disk.isFull = false;
  }

  endTurn(): void {
    for (const work of this.#turn.splice(0)) work();
  }

  kept({ id }: Run): number {
    return Number(this.disk.get("SELECT count(*) AS kept FROM record WHERE run_id = ?", id)?.["kept"]);
  }

  /** Returns the records that were finally kept of a run, each with its number, and the first facts that the run recorded. */
  ends(run: Run): { readonly kept: readonly unknown[]; readonly said: readonly unknown[] } {
    const kept = this.#store.read(run.id).map(placed);
    return { kept, said: run.said.slice(0, run.keptAtFailure ?? kept.length).map(placed) };
  }
}

function placed({ kind, sequence }: RunRecord): readonly [string, number] {
  return [kind, sequence];
}

async function act(scene: Scene): Promise<void> {
  const { dice } = scene;
  const run = dice.pick(scene.runs);
  const deed = dice.next();
  if (deed < 0.4) return scene.say(run);
  if (deed < 0.7) return scene.wait(run);
  if (deed < 0.75) return scene.force(run);
  if (deed < 0.77) return scene.takeOver(run);
  return scene.pass(dice.chance(0.05));
}

test("when several runs record in one turn, each run gets its true result, whatever fails", async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const scene = new Scene(seed);
    for (let left = 1 + scene.dice.below(4); left > 0; left--) await scene.begin();
    for (let left = DEEDS; left > 0; left--) await act(scene);
    await scene.pass(false);
    // The records are kept in their order, and nothing follows a failure.
    for (const run of scene.runs) {
      const { kept, said } = scene.ends(run);
      expect(kept, `seed ${seed}, ${run.id}`).toEqual(said);
    }
    scene.disk.close();
  }
});
