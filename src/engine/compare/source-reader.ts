import { getOrInsert } from "../../base/maps.ts";
import { LIMITS } from "../../base/limits.ts";
import { shortened } from "../../base/text/text.ts";
import { writeJson } from "../../base/json/json.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import type { Gap } from "../../protocol/comparison.ts";
import { noValue } from "../write/lost-answer.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { keyParts, keyText, type Pair, type SideRow, type SideName } from "../../reconcile/row.ts";
import { Gathered } from "../../reconcile/gathered.ts";
import { Join } from "../../reconcile/join.ts";
import { areAlike } from "../../reconcile/judge.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { CUT_OFF, LIST_TRIES } from "../read/read.ts";
import { Interrupted } from "../run/interrupted.ts";
import { NotedRead, ReadLog } from "./read-log.ts";
import type { RowOrigin, RowSource, SourceRead } from "./row-source.ts";
import { sideBySide } from "./side-by-side.ts";

/** What was read of one side, and when. */
export interface SideTally {
  /** How many rows the first look read. */
  rows: number;
  /** How many requests all looks made. */
  requests: number;
  /** The time before its first request, in milliseconds since the Unix epoch; undefined until a page has arrived. */
  from: number | undefined;
  /** The time of its last page, in milliseconds since the Unix epoch; undefined until a page has arrived. */
  to: number | undefined;
}

/** A row with where it was read. */
export interface ReadRow {
  /** The row as it was read. */
  readonly row: SideRow;
  /** The request that gave it. */
  readonly origin: RowOrigin;
}

/** The problems that show that a list changed or broke off while it was read. */
const READ_AGAIN: ReadonlySet<string> = new Set(["paging.count", "paging.repeated", "paging.other-page", CUT_OFF]);

/** Reads the sources of a comparison: all of them at first, then only the reads that may hold a key that differs. */
export class SourceReader {
  /** What was read of each side so far. */
  readonly tallies: Readonly<Record<SideName, SideTally>> = { left: newTally(), right: newTally() };
  /** The reads of the first look. */
  readonly log: ReadLog = new ReadLog();
  readonly #context: ReadingContext;
  readonly #sources: readonly RowSource[];
  readonly #step: string;
  readonly #names: Readonly<Record<SideName, string>>;
  /** For each source, its reads by the fixed parts of the keys that they may hold. */
  readonly #byFixed: readonly ReadonlyMap<string, readonly SourceRead[]>[];
  readonly #failed = new Set<SourceRead>();
  /** What the reads that may hold a key request, by the fixed parts of the key in each source. */
  readonly #askedBy = new Map<string, ReadonlySet<string>>();
  /** How many rows each read gave in the first look. */
  readonly #rowsOf = new Map<SourceRead, number>();
  readonly #gaps: Gap[] = [];
  #reads = 0;

  /** `step` is the address of the step that compares. */
  constructor(
    context: ReadingContext,
    sources: readonly RowSource[],
    { step, names }: { readonly step: string; readonly names: Readonly<Record<SideName, string>> },
  ) {
    this.#context = context;
    this.#sources = sources;
    this.#step = step;
    this.#names = names;
    this.#byFixed = sources.map(({ reads }) => Map.groupBy(reads, ({ fixed }) => (fixed === undefined ? ANY : keyText(fixed))));
  }

  /** The reads that did not finish. They are not repeated, because none of their keys are compared. */
  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** How many requests all looks made, for both sides. */
  get requests(): number {
    return this.tallies.left.requests + this.tallies.right.requests;
  }

  /** Reads all rows, and gives each key once, with its rows of both sides. */
  async readAll(give: (pair: Pair) => void): Promise<void> {
    const join = new Join(this.#groups(), give);
    try {
      await this.#readInto(join);
      if (!this.#context.stopping) join.finish();
    } finally {
      join.close();
    }
  }

  async #readInto(join: Join<SourceRead>): Promise<void> {
    await this.#each(
      this.#sources.map(({ reads }) => reads),
      async (read) => {
        let [number, taken] = [0, { left: 0, right: 0 }];
        let noted = new NotedRead(this.#sideOf(read), 0);
        const problem = await this.#rows(read, {
          begin: () => {
            [number, taken] = [++this.#reads, { left: 0, right: 0 }];
            noted = new NotedRead(this.#sideOf(read), this.#context.ports.clock.now());
          },
          take: (rows, origin) => {
            noted.page(origin, rows.length);
            join.keep(read, number, rows);
            for (const { side, record } of rows) {
              if (record === null) continue;
              taken[side] += 1;
              this.tallies[side].rows += 1;
            }
          },
          forget: () => {
            join.forget(read, number);
            for (const side of read.sides) this.tallies[side].rows -= taken[side];
          },
        });
        this.log.keep(noted);
        this.#rowsOf.set(read, taken.left + taken.right);
        if (problem !== undefined) this.#fail(read, problem);
        join.end(read);
      },
      () => join.isCrowded,
    );
  }

  // For each read, a name for the group of reads of all sources that may hold its keys: those with the same fixed parts, where all sources
  // know them.
  #groups(): ReadonlyMap<SourceRead, string> {
    const [first, ...others] = this.#sources;
    const shared = (first?.fixed ?? []).filter((place) => others.every(({ fixed }) => fixed.includes(place)));
    const isKnown = this.#sources.every(({ reads }) => reads.every(({ fixed }) => fixed !== undefined));
    return new Map(
      this.#sources.flatMap((source) =>
        source.reads.map((read) => [
          read,
          isKnown ? keyText(shared.map((place) => read.fixed?.[source.fixed.indexOf(place)] ?? "")) : ANY,
        ]),
      ),
    );
  }

  /** Repeats the reads that may hold one of these keys, and returns the rows of those keys. */
  async readAgain(suspects: ReadonlyMap<string, Pair>): Promise<readonly ReadRow[]> {
    const witnessed = new Map<SourceRead, readonly ReadRow[]>();
    const alone = new Map<SourceRead, readonly Pair[]>();
    const wanted = this.#sources.map((source, at) => this.#readsOf(source, at, suspects.values()));
    await this.#each(
      wanted.map((pairs) => [...pairs.keys()]),
      async (read) => {
        const pairs = wanted.find((each) => each.has(read))?.get(read);
        const rows = await this.#readAlone(read, pairs);
        if (rows === undefined) return this.#readWhole(read, suspects, witnessed);
        witnessed.set(read, rows);
        alone.set(read, pairs ?? []);
      },
    );
    // A single record can confirm a difference. Only the list can show that the difference is gone or has changed, because the service may
    // answer differently.
    const gathered = new Gathered();
    for (const { row } of [...witnessed.values()].flat()) gathered.add(row);
    const isConfirmed = (pair: Pair): boolean => areAlike(gathered.get(pair.key), pair);
    const doubtful = new Set([...alone].flatMap(([read, pairs]) => (pairs.every(isConfirmed) ? [] : [read])));
    await this.#each(
      wanted.map((pairs) => [...pairs.keys()].filter((read) => doubtful.has(read))),
      async (read) => this.#readWhole(read, suspects, witnessed),
    );
    return [...witnessed.values()].flat();
  }

  async #readWhole(
    read: SourceRead,
    suspects: ReadonlyMap<string, Pair>,
    witnessed: Map<SourceRead, readonly ReadRow[]>,
  ): Promise<void> {
    let rows: ReadRow[] = [];
    const problem = await this.#rows(read, {
      begin: () => (rows = []),
      take: (page, origin) => {
        for (const row of page) if (suspects.has(keyText(row.key))) rows.push({ row, origin });
      },
      forget: () => (rows = []),
    });
    witnessed.set(read, rows);
    if (problem !== undefined) this.#fail(read, problem);
  }

  // The pairs by the reads that may hold them; `undefined` for a read if one of its pairs may also be in another read of the source.
  #readsOf(source: RowSource, at: number, pairs: Iterable<Pair>): ReadonlyMap<SourceRead, readonly Pair[] | undefined> {
    const found = new Map<SourceRead, Pair[] | undefined>();
    for (const pair of pairs) {
      const reads = this.#mayHold(source, at, pair.key);
      for (const read of reads) {
        const own = found.has(read) ? found.get(read) : [];
        found.set(read, reads.length > 1 || own === undefined ? undefined : [...own, pair]);
      }
    }
    return found;
  }

  // Reads the rows of a long list one by one. Returns `undefined` where the list itself must be read.
  async #readAlone(read: SourceRead, pairs: readonly Pair[] | undefined): Promise<readonly ReadRow[] | undefined> {
    const { alone, sides } = read;
    const [side] = sides;
    if (alone === undefined || side === undefined || pairs === undefined || pairs.length > LIMITS.rowsReadAlone) return undefined;
    if ((this.#rowsOf.get(read) ?? 0) <= LIMITS.shortListRows) return undefined;
    const rows: ReadRow[] = [];
    for (const { key, [side]: before } of pairs) {
      const id = before === undefined ? alone.idIn(keyParts(key)) : before.id;
      if (id === undefined) return undefined;
      const found: ReadRow[] = [];
      const take = (page: readonly SideRow[], origin: RowOrigin): void =>
        void found.push(...page.filter((row) => keyText(row.key) === key).map((row) => ({ row, origin })));
      const problem = await this.#once({ ...read, pages: () => alone.page(id) }, { take });
      // Only the list can show a record that it did not hold before, or that it now holds under another key.
      if (problem !== undefined || (before === undefined) !== (found.length === 0)) return undefined;
      rows.push(...found);
    }
    return rows;
  }

  /** Whether all reads that may hold a key were read to their ends. */
  isWhole(key: string): boolean {
    if (this.#failed.size === 0) return true;
    return this.#sources.every((source, at) => this.#mayHold(source, at, key).every((read) => !this.#failed.has(read)));
  }

  /** Whether all reads were read to their ends. */
  get isComplete(): boolean {
    return this.#failed.size === 0;
  }

  /** Returns what the finished reads requested. */
  finished(): ReadonlySet<string> {
    const finished = this.#sources.flatMap(({ reads }) => reads.filter((read) => !this.#failed.has(read)));
    return new Set(finished.flatMap((read) => this.#asksOf(read)));
  }

  /** Returns what the reads that may hold a key request. Keys of the same reads get the same set. */
  readsFor(key: string): ReadonlySet<string> {
    const parts = keyParts(key);
    const fixed = this.#sources.map((source) => keyText(fixedIn(source, parts))).join("");
    return getOrInsert(this.#askedBy, fixed, () => {
      const reads = this.#sources.flatMap((source, at) => this.#mayHold(source, at, key));
      return new Set(reads.flatMap((read) => this.#asksOf(read)));
    });
  }

  // Two sides may make the same request, and take other rows of its answer.
  #asksOf({ sides, asks }: SourceRead): readonly string[] {
    return asks().map((asked) => writeJson([sides, asked]));
  }

  /** Whether every read that may hold a key has finished, and each source has at least one such read. */
  hasLookedFor(key: string): boolean {
    return this.isWhole(key) && this.#sources.every((source, at) => this.#mayHold(source, at, key).length > 0);
  }

  #mayHold(source: RowSource, at: number, key: string): readonly SourceRead[] {
    const reads = this.#byFixed[at];
    return [...(reads?.get(keyText(fixedIn(source, keyParts(key)))) ?? []), ...(reads?.get(ANY) ?? [])];
  }

  async #each(
    reads: readonly (readonly SourceRead[])[],
    work: (read: SourceRead) => Promise<void>,
    isCrowded: () => boolean = () => false,
  ): Promise<void> {
    const queues = this.#sources.map(({ parallel }, at) => ({ reads: reads[at] ?? [], parallel }));
    await sideBySide(queues, { work, isStopping: () => this.#context.stopping, isCrowded });
  }

  async #rows(read: SourceRead, taking: Taking): Promise<StepProblem | undefined> {
    for (let tries = 1; ; tries++) {
      taking.begin();
      const problem = await this.#once(read, taking);
      if (problem === undefined) return undefined;
      taking.forget();
      if (!READ_AGAIN.has(problem.code) || tries === LIST_TRIES || this.#context.stopping) return problem;
    }
  }

  async #once(read: SourceRead, { take }: Pick<Taking, "take">): Promise<StepProblem | undefined> {
    const { clock } = this.#context.ports;
    const from = clock.now();
    try {
      for await (const page of read.pages()) {
        const at = page.kind === "rows" ? page.origin.at : clock.now();
        for (const side of read.sides) noteTime(this.tallies[side], Math.min(from, at), at);
        this.tallies[read.sides[0] ?? "left"].requests += page.requests;
        if (page.kind === "failed") return page.problem;
        take(page.rows, page.origin);
        this.#showProgress();
      }
      return undefined;
    } catch (error) {
      if (error instanceof Interrupted) return { code: "run.interrupted", message: "the run was interrupted" };
      if (!(error instanceof EvaluationFailure)) throw error;
      return noValue(error, { code: "expression.no-value" });
    }
  }

  #showProgress(): void {
    const { left, right } = this.tallies;
    const at = this.#context.ports.clock.now();
    const pages = Math.max(1, this.requests); // a list that is still arriving counts its requests at its end
    this.#context.notify({ kind: "step.reading", step: this.#step, pages, rows: left.rows + right.rows, at });
  }

  #fail(read: SourceRead, { code, message }: StepProblem): void {
    this.#failed.add(read);
    this.#gaps.push({ side: this.#sideOf(read), of: read.label, code, message: shortened(message, LIMITS.refusalChars) });
  }

  #sideOf({ sides }: SourceRead): string {
    return sides.map((name) => this.#names[name]).join(" and ");
  }
}

// The parts of a key that a source's reads determine.
function fixedIn({ fixed }: RowSource, key: readonly string[]): readonly string[] {
  return fixed.map((place) => key[place] ?? "");
}

// No key equals this text. It marks a read whose keys are unknown before it is made.
const ANY = "";

interface Taking {
  readonly begin: () => void;
  readonly take: (rows: readonly SideRow[], origin: RowOrigin) => void;
  readonly forget: () => void;
}

function newTally(): SideTally {
  return { rows: 0, requests: 0, from: undefined, to: undefined };
}

function noteTime(tally: SideTally, from: number, to: number): void {
  tally.from = Math.min(tally.from ?? from, from);
  tally.to = Math.max(tally.to ?? to, to);
}
