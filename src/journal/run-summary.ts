import type { Holder } from "../protocol/record.ts";
import type { Cell, SqlDatabase, SqlRow } from "../sql/database.ts";
import { keepsHold, type Life } from "./holder.ts";
import type { Lease, Leases } from "./leases.ts";

/** A line of `tokenbook runs`. */
export interface RunSummary {
  /** The run's id. */
  readonly id: string;
  /** The file of its playbook. */
  readonly playbook: string;
  /** The name of its environment in tokenbook.yaml. */
  readonly environment: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly openedAt: number;
  /** How the run ended; `undefined` while it is in progress, or if its process died. */
  readonly outcome: string | undefined;
  /** Who may be acting for the run, since when, and under which claim. */
  readonly held: { readonly holder: Holder; readonly since: number; readonly life: Life; readonly epoch: number } | undefined;
}

/** Returns the runs that a part of a query selects. The part follows the name of the table. */
export function summariesIn(
  database: SqlDatabase,
  leases: Leases,
  { which, values }: { readonly which: string; readonly values: readonly Cell[] },
): readonly RunSummary[] {
  const held = "LEFT JOIN lease ON kind = 'run' AND name = run.id AND run_id = run.id";
  const rows = (chosen: string, ...of: Cell[]): readonly SqlRow[] => database.all(`SELECT * FROM run ${held} ${chosen}`, ...of);
  // A process may end between the query and the check whether it is alive. Then its row says how the run ended, so the row is read once
  // more.
  const current = (row: SqlRow): RunSummary | undefined => {
    const summary = summaryOf(row, leases);
    if (summary.outcome !== undefined || summary.held !== undefined || row["kind"] === null) return summary;
    const [now] = rows("WHERE run.id = ?", summary.id);
    if (now === undefined) return undefined;
    return now["epoch"] === row["epoch"] ? summaryOf(now, leases) : current(now);
  };
  return rows(which, ...values).flatMap((row) => current(row) ?? []);
}

function summaryOf(row: SqlRow, leases: Leases): RunSummary {
  return {
    id: String(row["id"]),
    playbook: String(row["playbook"]),
    environment: String(row["environment"]),
    openedAt: Number(row["opened_at"]),
    outcome: row["outcome"] === null ? undefined : String(row["outcome"]),
    held: row["kind"] === null ? undefined : heldBy(leases.read(row)),
  };
}

function heldBy({ holder, since, life, epoch }: Lease): RunSummary["held"] {
  return holder === undefined || !keepsHold(life) ? undefined : { holder, since, life, epoch };
}
