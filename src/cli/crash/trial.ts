import { join } from "node:path";
import { messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { removeFolder } from "../../files/folder.ts";
import { playbooksIn, stepsIn } from "../../playbook/playbook-walk.ts";
import type { RunOutcome, RunRecord } from "../../protocol/record.ts";
import type { TriedBoundary } from "../../report/crash/shape.ts";
import { reportOf } from "../../report/model.ts";
import type { RunReport } from "../../report/shape.ts";
import type { Dotenv } from "../project/state-place.ts";
import type { Relaunch, Shell } from "../shell.ts";
import { Course, type PointName } from "./course.ts";
import { FAILPOINT, failpointText } from "./failpoint.ts";
import { begin, resumeOrBegin, type Island, type IslandParts, openIsland, type Subject } from "./island.ts";
import { type Comparing, differences, excess, type Ledger, ledgerOf, withoutRepeats } from "./ledger.ts";
import { orderText } from "./order.ts";
import { effectsOf, repeatsIn, unchangedIn, unknownWrites } from "./unknown.ts";
import type { CommandEnd } from "../../schedule/notify/deliver.ts";

/** A point of the undisturbed run at which a child is killed. */
export type Boundary = Pick<TriedBoundary, "point" | "step">;

/** The result of one kill. */
export type Tried = Omit<TriedBoundary, "replay">;

/** The result of the undisturbed run. */
export interface Undisturbed {
  /** How the run ended. */
  readonly outcome: RunOutcome;
  readonly report: RunReport;
  /** The points of the run at which a child can be killed. */
  readonly boundaries: readonly Boundary[];
  /** The content of the sandbox after the run. */
  readonly ledger: Ledger;
  /** The text of each step's write in the ledger, by the step's address. */
  readonly effects: ReadonlyMap<string, string>;
}

/** Where playbooks are tested, and what is kept afterwards. */
export interface TrialGround extends Pick<IslandParts, "origin" | "server" | "via">, Dotenv {
  /** The shell of the command, which also starts the children. */
  readonly shell: Shell;
  /** The folder that contains the folder of each trial. */
  readonly folder: string;
  /** Whether each state directory is kept. */
  readonly keep: boolean;
}

/** One playbook, which is run undisturbed and then killed at its boundaries, each time on a sandbox of its own. */
export class CrashTest {
  readonly #subject: Subject;
  readonly #ground: TrialGround;
  readonly #comparing: Comparing;

  constructor(subject: Subject, ground: TrialGround) {
    this.#subject = subject;
    this.#ground = ground;
    this.#comparing = { inOrder: !runsSideBySide(subject) };
  }

  /** Runs the playbook to its end in the folder `name`. Throws a Failure if it cannot start. */
  undisturbed(name: string): Promise<Undisturbed> {
    const passed: PointName[][] = [];
    const course = new Course((point) => void passed.push([...point]));
    return this.#onIsland({ name, course }, async (island) => {
      const outcome = await begin(island.session, this.#subject);
      const records = island.session.store.read(this.#subject.name.runId);
      const ledger = this.#ledgerOf(island);
      return {
        outcome,
        report: reportOf(records),
        boundaries: boundariesOf(passed),
        ledger,
        effects: effectsOf(records, ledger),
      };
    });
  }

  /** Describes how two ledgers differ. */
  differences(one: Ledger, other: Ledger): readonly string[] {
    return differences(one, other, this.#comparing);
  }

  /** Kills a child at a boundary, resumes its run, and judges the result. `name` is the folder. */
  async crashAt(boundary: Boundary, name: string, undisturbed: Undisturbed): Promise<Tried> {
    const tried = await this.disturbed(name, undisturbed, (island) => this.#kill(boundary, island));
    return { ...boundary, ...tried };
  }

  /** Lets `disturb` start and disturb the run on an island, then resumes the run and judges the result. `name` is the folder. */
  disturbed(name: string, undisturbed: Undisturbed, disturb: (island: Island) => Promise<Disturbed>): Promise<JudgedTrial> {
    return this.#onIsland({ name }, async (island) => {
      const { missed = false, survived } = await disturb(island);
      if (survived !== undefined) return { missed, ...differing([survived]) };
      const end = await this.#resumeToAnEnd(island);
      return { missed, ...this.#judge({ ...end, ledger: this.#ledgerOf(island) }, undisturbed) };
    });
  }

  /** Starts a process that starts or resumes the run on an island. Resolves when it has ended or was killed. */
  child({ folder, schema, served }: Island, how: Pick<Relaunch, "kill"> & { readonly failpoint?: string }): Promise<CommandEnd> {
    const { shell, origin, dotenv } = this.#ground;
    const from = dotenv === false ? ["--no-dotenv"] : dotenv === undefined ? [] : ["--dotenv", dotenv];
    return shell.relaunch({
      args: ["crash-child", ...from],
      input: orderText({ subject: this.#subject, served, profile: origin.profile, state: folder, schema }),
      variables: { ...shell.variables, [FAILPOINT]: how.failpoint },
      kill: how.kill,
    });
  }

  async #onIsland<T>(
    { name, course }: { readonly name: string; readonly course?: Course },
    work: (island: Island) => Promise<T>,
  ): Promise<T> {
    const { shell, keep } = this.#ground;
    const folder = join(this.#ground.folder, name);
    await using closing = new AsyncDisposableStack();
    if (!keep) closing.defer(() => removeFolder(folder));
    return await work(closing.use(await openIsland(shell, folder, { ...this.#ground, secrets: this.#subject.secrets, course })));
  }

  #ledgerOf({ sandbox }: Island): Ledger {
    return ledgerOf(sandbox.contents(), this.#ground.origin.filledAt);
  }

  async #kill({ point }: Boundary, island: Island): Promise<Disturbed> {
    const kill = AbortSignal.timeout(LIMITS.crashChildMs);
    const { code, signal, stderr } = await this.child(island, { kill, failpoint: point });
    if (kill.aborted) return { survived: `did not come to this point within ${formatDuration(LIMITS.crashChildMs)}` };
    if (signal === "SIGKILL" || code === 0) return { missed: code === 0 };
    return { survived: `ended by itself before this point, with ${signal ?? `exit ${code}`}: ${stderr.trim()}` };
  }

  async #resumeToAnEnd({ session }: Island): Promise<Resumed> {
    const { runId } = this.#subject.name;
    try {
      let outcome = await resumeOrBegin(session, this.#subject);
      for (let times = 1; times < LIMITS.crashResumes && !LAST_WORDS.has(outcome); times++)
        outcome = await resumeOrBegin(session, this.#subject);
      return { outcome, records: session.store.read(runId) };
    } catch (error) {
      return { outcome: "refused", why: messageOf(error), records: [] };
    }
  }

  #judge(
    { outcome, why = "", records, ledger: found }: Resumed & { readonly ledger: Ledger },
    undisturbed: Undisturbed,
  ): Judgement {
    const [ledger, setTwice] = withoutRepeats(found, undisturbed.ledger, repeatsIn(records, undisturbed.effects));
    if (outcome === "passed") {
      const [expected] = withoutRepeats(undisturbed.ledger, ledger, unchangedIn(records, undisturbed.effects));
      const different = this.differences(expected, ledger);
      return different.length === 0 ? { verdict: "same", setTwice, writes: [], differences: [] } : differing(different);
    }
    const beyond = excess(undisturbed.ledger, ledger, this.#comparing);
    if (outcome === "refused") return differing([`resume refuses: ${why}`, ...beyond]);
    const said = `the resumed run ended as ${outcome}${problemIn(records)}`;
    if (beyond.length > 0) return differing([said, ...beyond]);
    if (outcome === "failed" && records.some(showsLostAnswer))
      return { verdict: "answer-lost", setTwice, writes: [], differences: [said] };
    if (outcome !== "unknown") return differing([said]);
    const writes = unknownWrites(records, ledger, undisturbed.effects);
    return { verdict: "unknown", setTwice, writes, differences: [] };
  }
}

/** The result of disturbing a run. */
export interface Disturbed {
  /** Whether the run passed before it reached the point at which it should have died. */
  readonly missed?: boolean;
  /** How the run ended, if it survived unexpectedly. */
  readonly survived?: string;
}

type Judgement = Pick<Tried, "verdict" | "setTwice" | "writes" | "differences">;

/** The verdict on a run that was disturbed and resumed. */
export type JudgedTrial = Judgement & Pick<Tried, "missed">;

/** How a resumed run ended. `refused` means that it could not be resumed. */
interface Resumed {
  readonly outcome: RunOutcome | "refused";
  readonly why?: string;
  readonly records: readonly RunRecord[];
}

// With one of these outcomes, another `resume` would end in the same way.
const LAST_WORDS: ReadonlySet<RunOutcome> = new Set(["passed", "unknown", "conflict"]);

function differing(found: readonly string[]): Judgement {
  return { verdict: "different", setTwice: 0, writes: [], differences: found };
}

function runsSideBySide({ playbook }: Subject): boolean {
  return playbooksIn(playbook).some(({ steps }) => [...stepsIn(steps)].some(({ foreach }) => (foreach?.parallel ?? 1) > 1));
}

// A commit is one point, even if it has several records. The last record names the point.
function boundariesOf(points: readonly (readonly PointName[])[]): readonly Boundary[] {
  const times = new Map<string, number>();
  return points.flatMap((point) => {
    const named = point.map((name) => {
      const key = failpointText(name, 1);
      const ordinal = (times.get(key) ?? 0) + 1;
      times.set(key, ordinal);
      return { point: failpointText(name, ordinal), step: name.step ?? null };
    });
    return named.slice(-1);
  });
}

function showsLostAnswer(record: RunRecord): boolean {
  return record.kind === "attempt.settled" && record.verdict === "applied";
}

function problemIn(records: readonly RunRecord[]): string {
  const stopped = records.findLast((record) => record.kind === "step.stopped");
  return stopped === undefined ? "" : `: ${stopped.step}: ${stopped.problem.message}`;
}
