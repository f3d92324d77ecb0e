import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { OwnThread } from "../postgres/bridge.ts";
import { BROKEN_PROTOCOL, type ServerError, type StatementResult, type ThreadRequest, TOO_LARGE } from "../postgres/messages.ts";
import { isDatabaseAddress } from "../sql/place.ts";
import type { OutsideRow, ReaderOf } from "./outside.ts";
import { assertColumns, rowOfQuery, tooSlow, unclearText } from "./table.ts";

const CONNECTION = 1;

/** Reads a query in one snapshot, in a read-only transaction. */
export const postgresRows: ReaderOf<"postgres"> = async function* ({ address, query, timeoutMs }, { columns, secret, signal }) {
  const url = secret(address).reveal();
  if (!isDatabaseAddress(url)) throw new Failure(WRONG_ADDRESS);
  await using thread = new OwnThread();
  const ask = async (request: ThreadRequest): Promise<StatementResult | undefined> => {
    const began = performance.now();
    // The server itself enforces the timeout. This limit is for a server that does not answer.
    const late = AbortSignal.timeout(timeoutMs + LIMITS.databaseConnectMs);
    const answer = await thread.ask(request, AbortSignal.any([signal, late])).catch((error: unknown) => {
      throw late.aborted ? tooSlow(timeoutMs) : error;
    });
    if ("error" in answer) throw failureOf(answer.error, timeoutMs, performance.now() - began);
    return answer[0];
  };
  await ask({ kind: "query", connection: CONNECTION, url, query, timeoutMs });
  for (let number = 0; ;) {
    const { rows = [], columns: found = [] } =
      (await ask({ kind: "fetch", connection: CONNECTION, rows: LIMITS.queryRows })) ?? {};
    assertColumns("the query", found, columns);
    if (rows.length === 0) return;
    yield rows.map((record): OutsideRow => {
      const [at, fault] = [rowOfQuery(++number, record), unclearText(record, columns)];
      return fault === undefined ? { at, record: record as Record<string, string | null> } : { at, fault };
    });
  }
};

const SEES_ALL =
  "let a user read it who sees all rows (ALTER ROLE USER BYPASSRLS), or compare a view that belongs to such a user";

const WRONG_ADDRESS = {
  code: "source.unreachable",
  message: "the address of the database is wrong",
  next: "write it so: postgres://USER:PASSWORD@HOST:5432/DATABASE",
};

// The code of a network error begins with E; no SQLSTATE does.
const SQLSTATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;
// The code for a query that took too long, and for one that somebody has cancelled.
const CANCELLED = "57014";
// The codes for bytes that are no text in an encoding, and for a character that has no form in another encoding.
const NOT_IN_UTF8: ReadonlySet<string> = new Set(["22021", "22P05"]);
/** Error classes that are not about the query: no connection, no access, no such database, no space, or a shutdown. */
const OF_THE_SERVER = /^(?:08|28|3D|53|57|58)/;

function failureOf({ message: given, code = "" }: ServerError, timeoutMs: number, tookMs: number): Failure {
  const message = given === "" ? "it gives no reason" : given;
  if (code === CANCELLED) return tookMs < timeoutMs ? cancelled(message) : tooSlow(timeoutMs);
  if (SQLSTATE.test(code) && !OF_THE_SERVER.test(code))
    return new Failure({
      code: "source.refused",
      message: `the database refused the query: ${message}`,
      next: NOT_IN_UTF8.has(code)
        ? "correct the text in the database: it has bytes or characters that have no form in UTF-8"
        : message.includes("row-level security")
          ? SEES_ALL
          : "write one SELECT that changes nothing, and that this user may read",
    });
  if (code === TOO_LARGE)
    return new Failure({
      code: "source.unreadable",
      message: `the rows of the database cannot be read ${LIMITS.queryRows.toLocaleString("en")} at a time: ${message}`,
      next: "select fewer columns, or only the beginning of long texts",
    });
  if (code === BROKEN_PROTOCOL)
    return new Failure({
      code: "source.unreadable",
      message: `the answer of the database cannot be read: ${message}`,
      next: "make sure that the address leads to a PostgreSQL server, and that nothing on the way changes its answers",
    });
  return new Failure({
    code: "source.unreachable",
    message: `the database cannot be reached: ${message}`,
    next: "make sure that its server runs, that this machine reaches it, and that the user and password are right",
  });
}

function cancelled(message: string): Failure {
  return new Failure({
    code: "source.refused",
    message: `the database did not finish the query: ${message}`,
    next: "find out who cancels queries there, and run the playbook again",
  });
}
