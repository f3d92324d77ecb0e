import type { Redact } from "../base/secret.ts";
import type { Approval } from "../protocol/record.ts";
import type { SqlDatabase } from "../sql/database.ts";

/** The table of plans that people have approved. A person's latest approval replaces the earlier one. */
export const APPROVAL_SCHEMA = `
CREATE TABLE approval (
  plan TEXT NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (plan, who)
) STRICT;
`;

/** The approvals of plans in a journal. */
export class Approvals {
  readonly #database: SqlDatabase;
  readonly #redact: Redact;

  constructor(database: SqlDatabase, redact: Redact) {
    this.#database = database;
    this.#redact = redact;
  }

  /** Keeps a person's approval of a plan. It is a transaction, which the mark of a move ends: an approval in the old place would be lost. */
  add({ plan, who, because, at }: Approval): void {
    this.#database.transaction(() =>
      this.#database.run(
        `INSERT INTO approval (plan, who, because, at) VALUES (?, ?, ?, ?)
         ON CONFLICT (plan, who) DO UPDATE SET because = excluded.because, at = excluded.at`,
        plan,
        who,
        this.#redact(because),
        at,
      ),
    );
  }

  /**
   * Uses up the approvals of a plan, and returns whether this one was still among them. Several people approve the same thing, so their approvals are
   * used together. Only within the transaction that opens a run.
   */
  use({ plan, who, at }: Approval): boolean {
    const isThere = "EXISTS (SELECT 1 FROM approval WHERE plan = ? AND who = ? AND at = ?)";
    return this.#database.run(`DELETE FROM approval WHERE plan = ? AND ${isThere}`, plan, plan, who, at).changes > 0;
  }

  /** Returns the approvals of a plan, the latest first. */
  of(plan: string): readonly Approval[] {
    return this.#database
      .all("SELECT * FROM approval WHERE plan = ? ORDER BY at DESC, who", plan)
      .map(({ who, because, at }) => ({
        plan,
        who: String(who),
        because: String(because),
        at: Number(at),
      }));
  }
}
