import type { Database } from "../../sqlite/database.ts";

/** Runs work inside the open transaction and undoes it, to find out whether it would be refused. */
export function rehearse(database: Database, work: () => void): void {
  database.exec("SAVEPOINT rehearsal");
  try {
    work();
  } finally {
    database.exec("ROLLBACK TO rehearsal; RELEASE rehearsal");
  }
}

/** Runs work inside the open transaction. If it throws, only its own changes are undone. */
export function attempt(database: Database, work: () => void): void {
  database.exec("SAVEPOINT attempt");
  try {
    work();
  } catch (error) {
    database.exec("ROLLBACK TO attempt; RELEASE attempt");
    throw error;
  }
  database.exec("RELEASE attempt");
}
