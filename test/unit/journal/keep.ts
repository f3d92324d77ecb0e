import type { RunJournal } from "../../../src/journal/journal.ts";
import type { Fact, RunRecord } from "../../../src/protocol/record.ts";

/** Records a fact. The fact is durable when this returns. */
export function keep(journal: RunJournal, fact: Fact): RunRecord {
  const record = journal.note(fact);
  journal.flush();
  return record;
}
