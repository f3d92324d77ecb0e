import { randomUUID } from "node:crypto";
import { getOrInsert } from "../base/maps.ts";
import { LIMITS } from "../base/limits.ts";
import { present } from "../base/present.ts";
import { startBeat, stopBeat } from "../postgres/beat.ts";
import type { Holder } from "../protocol/record.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { ServerPlace } from "../sql/place.ts";
import { isGoneHere, type Life, type Liveness, processSpace, thisProcess } from "./holder.ts";

interface SharedBeat {
  readonly holder: Holder;
  users: number;
}

/** The heartbeats of this process, by server and schema. */
const shared = new Map<string, SharedBeat>();

/**
 * The holders of a state on a server. Each process that holds anything in it shows every few seconds that it is alive, by the server's clock.
 * A process that stops doing so may still be alive, so its writes stay unknown when another process takes over. See decision 157.
 */
export class Heartbeats implements Liveness {
  readonly #database: SqlDatabase;
  readonly #server: ServerPlace;
  /** Until when a process counts as alive without asking again, by heartbeat. Nobody can take over its holds before that. */
  readonly #aliveUntil = new Map<string, number>();
  #mine: SharedBeat | undefined;

  constructor(database: SqlDatabase, server: ServerPlace) {
    this.#database = database;
    this.#server = server;
  }

  /** Returns this process as others see it. The first call begins its heartbeat. */
  me(): Holder {
    this.#mine ??= enter(this.#server);
    return this.#mine.holder;
  }

  /**
   * Does the same, and beats in the present transaction. Otherwise, after a standstill of this process, others would at once take over what
   * it takes here.
   */
  taking(): Holder {
    const holder = this.me();
    this.#database.run("UPDATE holder SET seen_at = clock_timestamp() WHERE name = ?", holder.beat ?? null);
    return holder;
  }

  /** Returns whether a holder is this process. */
  isMe({ beat }: Holder): boolean {
    return beat !== undefined && shared.values().some(({ holder }) => holder.beat === beat);
  }

  /** Returns whether a holder may still act, judging by its last heartbeat in the database. */
  lifeOf(holder: Holder): Life {
    if (this.isMe(holder)) return "alive";
    if (isGoneHere(holder)) return "dead";
    const { beat } = holder;
    if (beat === undefined) return "silent";
    if ((this.#aliveUntil.get(beat) ?? 0) > performance.now()) return "alive";
    const age = "CAST(EXTRACT(EPOCH FROM clock_timestamp() - seen_at) * 1000 AS BIGINT)";
    const row = this.#database.get(`SELECT ${age} AS age FROM holder WHERE name = ?`, beat);
    // If the server's clock was set back, an earlier heartbeat lies in the future, perhaps for hours.
    const leftMs = LIMITS.beatLapsedMs - Math.abs(Number(row?.["age"] ?? Infinity));
    for (const [each, until] of this.#aliveUntil) if (until <= performance.now()) this.#aliveUntil.delete(each);
    if (leftMs < 0) return "silent";
    this.#aliveUntil.set(beat, performance.now() + Math.min(leftMs, LIMITS.beatMs));
    return "alive";
  }

  /** A process whose heartbeat has stopped is fenced off by the epoch of its claim. */
  isSeen(): boolean {
    return true;
  }

  /** Stops the heartbeat of this process, unless it has other users. */
  close(): void {
    const mine = this.#mine;
    this.#mine = undefined;
    if (mine === undefined || --mine.users > 0) return;
    shared.delete(keyOf(this.#server));
    stopBeat(mine.holder.beat ?? "");
  }
}

function enter(server: ServerPlace): SharedBeat {
  const mine = getOrInsert(shared, keyOf(server), () => {
    const beat = randomUUID();
    startBeat(server, beat);
    const space = processSpace();
    return { holder: { ...thisProcess(), beat, ...present({ space }) }, users: 0 };
  });
  mine.users++;
  return mine;
}

function keyOf({ url, schema }: ServerPlace): string {
  return `${schema} ${url.reveal()}`;
}
