import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { Risk } from "../sql/place.ts";
import { failureOf, READ_ONLY } from "./failure.ts";

/** A setting of a server, and whether it keeps what was reported as durable. */
export interface ServerSetting {
  /** The name with which a project accepts the risk. */
  readonly risk: Risk;
  /** The value of the setting. */
  readonly is: string;
  /** Whether nothing that was reported as durable can be lost. */
  readonly isSafe: boolean;
  /** What the setting can do to records if it is not safe, in words. */
  readonly why: string;
  /** How to make it safe. */
  readonly fix: string;
}

/**
 * Returns the settings of a server on which the guarantee of at most one write depends. We set `synchronous_commit` ourselves. Throws a PassingFailure if the
 * server is a standby, because a standby may show an older state.
 */
export function settingsOf(database: SqlDatabase): readonly ServerSetting[] {
  const rows = database.all(
    "SELECT name, setting, CAST(pg_is_in_recovery() AS INT) AS follows FROM pg_settings WHERE name IN ('fsync', 'full_page_writes')",
  );
  if (rows.some(({ follows }) => follows === 1)) throw standbyFailure(database.path);
  const of = (name: string): string => String(rows.find((row) => row["name"] === name)?.["setting"] ?? "unknown");
  return [
    {
      risk: "fsync",
      is: `fsync = ${of("fsync")}`,
      isSafe: of("fsync") === "on",
      why: "after a crash of the machine, records that were durable may be missing",
      fix: "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()",
    },
    {
      risk: "full-page-writes",
      is: `full_page_writes = ${of("full_page_writes")}`,
      isSafe: of("full_page_writes") === "on",
      why: "after a crash of the machine, pages of the database may be torn",
      fix: "ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf()",
    },
    standbysOf(database),
  ];
}

// A user without the right cannot see the states of standbys. Then nothing is known about them.
function standbysOf(database: SqlDatabase): ServerSetting {
  const states = database
    .all("SELECT coalesce(sync_state, 'hidden') AS state FROM pg_stat_replication WHERE coalesce(state, '') <> 'backup'")
    .map(({ state }) => String(state));
  const late = states.filter((state) => state !== "sync" && state !== "quorum");
  const hidden = states.includes("hidden");
  return {
    risk: "asynchronous-standby",
    is: states.length === 0 ? "no standby" : `standbys: ${states.join(", ")}`,
    isSafe: late.length === 0,
    why: hidden
      ? "this user may not see whether the standbys are synchronous"
      : "a standby that is promoted may lack the last records, so a write would be sent again",
    fix: hidden ? "GRANT pg_read_all_stats TO the_user" : "name every standby that may be promoted in synchronous_standby_names",
  };
}

function standbyFailure(path: string): Error {
  return failureOf(path, { message: "the server follows a primary server", code: READ_ONLY, isBroken: false, isUnsent: false });
}

/** Throws a PassingFailure while a server is a standby, where nothing can be written. */
export function assertPrimary(database: SqlDatabase): void {
  const { follows } = database.get("SELECT CAST(pg_is_in_recovery() AS INT) AS follows") ?? {};
  if (follows === 1) throw standbyFailure(database.path);
}

/** Throws a Failure if a setting of the server can lose durable records, and the project does not accept this. */
export function assertDurable(database: SqlDatabase): void {
  const accepted = database.server?.accepted ?? [];
  const [unsafe] = settingsOf(database).filter(({ risk, isSafe }) => !isSafe && !accepted.includes(risk));
  if (unsafe === undefined) return;
  throw new Failure({
    code: "database.unsafe",
    message: `${database.path} may lose records that were durable: ${unsafe.is}`,
    why: unsafe.why,
    next: `${unsafe.fix}\nor accept the risk in tokenbook.yaml: state: { …, accept: [${unsafe.risk}] }`,
  });
}
