import { join } from "node:path";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { closePrivate, createPrivate, isPrivateThere, openPrivate, overwrite, readPrivate } from "../files/private.ts";
import { makePrivateFolder, stateEntry } from "../files/state.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { nameOfPlace, type ServerPlace } from "../sql/place.ts";
import { type Last, lastRecordOf, sealedSlot, type Tail, textOfSlot } from "./tail.ts";

/** A record that must be in a journal. */
interface NamedRecord {
  readonly last: Last;
  /** How many losses people had accepted when it was named. One that was accepted later covers it. */
  readonly losses: number;
  /** The first run of the journal. A journal without it is another one; left out, any journal must have the record. */
  readonly first?: string | undefined;
}

/** The last record that this process has written to each schema of a server. */
const written = new Map<string, NamedRecord>();

/**
 * Remembers the last record that this machine has written to a schema of a server (decision 227). So it notices that a backup or a standby without the record
 * has taken the place of the server, and does not do the same work a second time.
 *
 * The process remembers the record itself, and names it in a file of the user for those that follow it. All processes of the user overwrite the same sector,
 * and none of them waits: whatever is in it when they have done so names a record that was durable. A file that is missing, torn or cannot be written names none.
 */
export class ServerTail implements Tail {
  readonly #name: string;
  readonly #file: MachineFile;
  #known: Omit<NamedRecord, "last"> = { losses: 0 };

  constructor(place: ServerPlace) {
    this.#name = nameOfPlace(place);
    this.#file = new MachineFile(place.memory, this.#name);
  }

  create(journal: SqlDatabase): void {
    const last = lastRecordOf(journal);
    this.#known = lookFor(journal, undefined).known;
    if (last !== undefined) return this.keep(last);
    written.delete(this.#name);
    this.#file.write(NOTHING);
  }

  keep(last: Last): void {
    const { losses, first } = this.#known;
    written.set(this.#name, { last, losses });
    this.#file.write(textOf({ last, losses, first }));
  }

  assertKept(journal: SqlDatabase): void {
    // The file is read before the journal is asked, because another process may commit in the meantime.
    const others = namedIn(this.#file.read());
    const own = written.get(this.#name);
    const named = [own, others].filter((each) => each !== undefined);
    for (const each of own?.last.hash === others?.last.hash ? [own] : named) {
      const { known, isLost } = lookFor(journal, each);
      if (each !== undefined && isLost) {
        journal.assertPrimary(); // a standby that only follows may be late
        throw turnedBack(journal.path, `record ${each.last.sequence} of run ${each.last.runId}`);
      }
      this.#known = known;
    }
  }

  assertNotAhead(): void {
    // no process has written to a journal before it is migrated
  }

  close(): void {
    this.#file.close();
  }
}

/** The file of a user for one schema of a server. What goes wrong with it only means that nothing is remembered. */
class MachineFile {
  readonly #folder: string | undefined;
  readonly #name: string;
  #descriptor: number | undefined;
  #isUnusable: boolean;

  constructor(folder: string | undefined, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.#isUnusable = folder === undefined;
  }

  read(): string | undefined {
    return this.#unlessUnusable((folder) => {
      const content = readPrivate(join(stateEntry(folder, "servers", "look"), this.#name));
      return content === undefined ? undefined : textOfSlot(content);
    });
  }

  write(text: string): void {
    this.#unlessUnusable((folder) => overwrite((this.#descriptor ??= this.#open(folder)), sealedSlot(text), 0));
  }

  close(): void {
    if (this.#descriptor !== undefined) closePrivate(this.#descriptor);
    this.#descriptor = undefined;
  }

  // Nobody ever replaces the file, because another process may have it open.
  #open(folder: string): number {
    const servers = stateEntry(folder, "servers", "create");
    makePrivateFolder(servers);
    const path = join(servers, this.#name);
    try {
      if (!isPrivateThere(path)) createPrivate(path);
    } catch (error) {
      if (!isPrivateThere(path)) throw error; // otherwise another process was faster
    }
    return openPrivate(path, "write");
  }

  #unlessUnusable<T>(work: (folder: string) => T): T | undefined {
    if (this.#folder === undefined || this.#isUnusable) return undefined;
    try {
      return work(this.#folder);
    } catch {
      this.#isUnusable = true; // a container may have no folder that can be written
      return undefined;
    }
  }
}

const NOTHING = "-";

function textOf({ last, losses, first = last.runId }: NamedRecord): string {
  return `${last.runId} ${last.sequence} ${last.hash} ${losses} ${first}`;
}

function namedIn(text: string | undefined): NamedRecord | undefined {
  const [, runId = "", sequence, hash = "", losses, first] = /^(\S+) (\d+) (\S+) (\d+) (\S+)$/.exec(text ?? "") ?? [];
  return first === undefined ? undefined : { last: { runId, sequence: Number(sequence), hash }, losses: Number(losses), first };
}

const LOOK = `SELECT (SELECT COUNT(*) FROM loss) AS losses,
  (SELECT MIN(id) FROM (SELECT MIN(id) AS id FROM run UNION ALL SELECT MIN(id) FROM archived_run) AS each) AS first,
  (SELECT COUNT(*) FROM record WHERE run_id = ? AND sequence = ? AND hash = ?) AS kept,
  (SELECT COUNT(*) FROM archived_run WHERE id = ?) AS archived,
  (SELECT COUNT(*) FROM run WHERE id = ?) + (SELECT COUNT(*) FROM archived_run WHERE id = ?) AS firsts`;

function lookFor(
  journal: SqlDatabase,
  named: NamedRecord | undefined,
): { readonly known: Omit<NamedRecord, "last">; readonly isLost: boolean } {
  const { last = { runId: "", sequence: 0, hash: "" }, losses: before = 0, first = "" } = named ?? {};
  const row = journal.get(LOOK, last.runId, last.sequence, last.hash, last.runId, first, first) ?? {};
  const count = (of: string): number => Number(row[of]);
  const isSame = named?.first === undefined || count("firsts") > 0;
  const isThere = count("kept") + count("archived") > 0;
  const known = { losses: count("losses"), first: row["first"] === null ? undefined : String(row["first"]) };
  return { known, isLost: isSame && !isThere && known.losses <= before };
}

/** Returns the failure for a server that no longer has a record which was durable there. */
export function turnedBack(path: string, record: string): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${path} has lost records: ${record}, which this machine had written or shown, is gone`,
    why: "it was restored from a backup, or a server without these records took over; what was done since then would be done again, so nothing is sent",
    next: [
      "let the address lead to the server that has them; or look into the ledger for what that run, and every run since then, has done, withdraw the submitted runs that would do it again:",
      command`runs --queued`,
      "and continue without the lost records:",
      command`runs accept-loss --because TEXT`,
    ],
  });
}
