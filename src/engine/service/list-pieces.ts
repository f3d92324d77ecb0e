import { type Json, parseJson } from "../../base/json/json.ts";
import { ListSplitter } from "../../base/json/json-list.ts";
import { type AnswerReading, readAnswer } from "../../operations/answer.ts";
import type { Operation } from "../../operations/operation.ts";
import type { BodySieve } from "../../transport/exchange.ts";

/** Reads the records of one list as they arrive. Each piece is read like a whole answer. */
export class ListPieces {
  /** How many records were taken. */
  taken = 0;
  /** Takes the bytes of the answer as they arrive. What it still holds at the end is the rest of the list. */
  readonly sieve: BodySieve;

  constructor(operation: Operation, take: (records: readonly Json[]) => void, how: AnswerReading) {
    this.sieve = new ListSplitter((piece) => {
      const records = recordsIn(operation, piece, how);
      if (records === undefined) return false;
      this.taken += records.length;
      take(records);
      return true;
    });
  }
}

// A faulty piece stays in the rest of the answer, and is reported when that is read.
function recordsIn(operation: Operation, piece: string, how: AnswerReading): readonly Json[] | undefined {
  try {
    const answer = readAnswer(operation, parseJson(piece), how);
    return answer.kind === "answer" && Array.isArray(answer.payload) ? (answer.payload as readonly Json[]) : undefined;
  } catch {
    return undefined;
  }
}
