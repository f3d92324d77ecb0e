import { randomUUID } from "node:crypto";
import { LIMITS } from "../../base/limits.ts";
import type { Clock } from "../../base/ports.ts";
import { type Backoff, pauseAfter } from "../../base/time/backoff.ts";
import type { Redact } from "../../base/secret.ts";
import type { SqlDatabase, SqlRow } from "../../sql/database.ts";

const BACKOFF: Backoff = { everyMs: LIMITS.notificationPauseMs, backoff: 2, maxMs: LIMITS.notificationPauseMostMs };

/** The table of undelivered notifications, including those that failed for good. */
export const OUTBOX_SCHEMA = `
CREATE TABLE notification (
  id TEXT PRIMARY KEY, channel TEXT NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL, made_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0, next_at INTEGER, why TEXT
) STRICT;
`;

/** The schedule of a notification, since the second format of the file. */
export const OUTBOX_SCHEDULE = "ALTER TABLE notification ADD COLUMN schedule TEXT;\n";

/** A notification for one channel. */
export interface Letter {
  /** A UUID, which is the same for each try. */
  readonly id: string;
  /** The name of the channel. */
  readonly channel: string;
  /** The event of the notification. */
  readonly event: string;
  /** JSON, which is the same for each try. */
  readonly body: string;
  /** The number of tries, including this one. */
  readonly tries: number;
}

/** A notification to insert. */
interface NewLetter extends Pick<Letter, "channel" | "event" | "body"> {
  readonly schedule: string;
}

/** Selects the earliest waiting notification of each channel and schedule. Later ones follow it, so that a failure never arrives after the recovery. */
const FIRST = "rowid IN (SELECT MIN(rowid) FROM notification WHERE next_at IS NOT NULL GROUP BY channel, COALESCE(schedule, id))";

/** Notifications that wait to be delivered. They outlive the process, and each is given up after `LIMITS.notificationAttempts`. */
export class Outbox {
  readonly #database: SqlDatabase;
  readonly #ports: { readonly clock: Pick<Clock, "now">; readonly redact: Redact };

  constructor(database: SqlDatabase, ports: { readonly clock: Pick<Clock, "now">; readonly redact: Redact }) {
    this.#database = database;
    this.#ports = ports;
  }

  /** Inserts a notification, to be delivered at once. If there are too many, the oldest ones are given up. Returns the channel of each of these. */
  put(letter: NewLetter): readonly string[] {
    const now = this.#ports.clock.now();
    this.#database.run(
      "INSERT INTO notification (id, channel, schedule, event, body, made_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      randomUUID(),
      letter.channel,
      letter.schedule,
      letter.event,
      letter.body,
      now,
      now,
    );
    const most = LIMITS.notificationsWaiting;
    const tooMany = this.#database.all(
      "SELECT id, channel FROM notification WHERE next_at IS NOT NULL ORDER BY rowid DESC LIMIT ? OFFSET ?",
      most,
      most,
    );
    for (const { id } of tooMany)
      this.#database.run("UPDATE notification SET next_at = NULL, why = 'too many wait' WHERE id = ?", String(id));
    if (tooMany.length > 0) this.#prune();
    return tooMany.map(({ channel }) => String(channel));
  }

  /** Takes the notifications that are due for these channels. No other process gets them while this one may still be trying. */
  takeDue(channels: ReadonlyMap<string, { readonly timeoutMs: number }>, most: number): readonly Letter[] {
    const now = this.#ports.clock.now();
    const timeoutMs = Math.max(0, ...[...channels.values()].map((channel) => channel.timeoutMs));
    return this.#database.transaction(() => {
      const due = this.#database
        .all(
          `SELECT * FROM notification WHERE (next_at <= ? OR next_at > ?) AND ${FIRST} ORDER BY next_at, rowid`,
          now,
          now + leaseOf(timeoutMs, LIMITS.notificationAttempts), // none waits longer than this, so the clock was set back
        )
        .filter(({ channel }) => channels.has(String(channel)))
        .slice(0, most)
        .map(readLetter);
      for (const { id, channel, tries } of due) {
        const next = now + leaseOf(channels.get(channel)?.timeoutMs ?? 0, tries);
        this.#database.run("UPDATE notification SET tries = ?, next_at = ? WHERE id = ?", tries, next, id);
      }
      return due;
    });
  }

  /** Deletes a notification that was delivered. */
  delivered({ id }: Letter): void {
    this.#database.run("DELETE FROM notification WHERE id = ?", id);
  }

  /** Returns when the notification is tried again; nothing if it is given up. */
  failed({ id, tries }: Letter, why: string): number | undefined {
    const next = tries >= LIMITS.notificationAttempts ? undefined : this.#ports.clock.now() + pauseAfter(BACKOFF, tries);
    this.#database.run("UPDATE notification SET next_at = ?, why = ? WHERE id = ?", next ?? null, this.#ports.redact(why), id);
    if (next === undefined) this.#prune();
    return next;
  }

  /** Forgets that a notification of a schedule was given up for a channel. Returns whether there was one. */
  forgetLost(channel: string, schedule: string): boolean {
    const forget = "UPDATE notification SET schedule = NULL WHERE channel = ? AND schedule = ? AND next_at IS NULL";
    return this.#database.run(forget, channel, schedule).changes > 0;
  }

  /** Returns when the next notification for these channels is due. Other processes deliver those for other channels. */
  nextAt(channels: ReadonlyMap<string, unknown>): number | undefined {
    const next = this.#database
      .all(`SELECT channel, MIN(next_at) AS at FROM notification WHERE ${FIRST} GROUP BY channel`)
      .flatMap(({ channel, at }) => (channels.has(String(channel)) ? [Number(at)] : []));
    return next.length === 0 ? undefined : Math.min(...next);
  }

  /** Returns how many notifications wait for these channels. */
  waiting(channels: ReadonlyMap<string, unknown>): number {
    return [...this.waitingFor()].reduce((sum, [channel, waiting]) => sum + (channels.has(channel) ? waiting : 0), 0);
  }

  /** Returns how many notifications wait for each channel, declared or not. */
  waitingFor(): ReadonlyMap<string, number> {
    const count =
      "SELECT channel, COUNT(*) AS waiting FROM notification WHERE next_at IS NOT NULL GROUP BY channel ORDER BY channel";
    return new Map(this.#database.all(count).map(({ channel, waiting }) => [String(channel), Number(waiting)]));
  }

  #prune(): void {
    this.#database.run(
      `DELETE FROM notification WHERE next_at IS NULL AND id NOT IN
         (SELECT id FROM notification WHERE next_at IS NULL ORDER BY rowid DESC LIMIT ?)`,
      LIMITS.notificationsWaiting,
    );
  }
}

// Returns how long no other process may try a notification that one process has taken.
function leaseOf(timeoutMs: number, tries: number): number {
  return 2 * timeoutMs + pauseAfter(BACKOFF, tries);
}

function readLetter(row: SqlRow): Letter {
  return {
    id: String(row["id"]),
    channel: String(row["channel"]),
    event: String(row["event"]),
    body: String(row["body"]),
    tries: Number(row["tries"]) + 1,
  };
}
