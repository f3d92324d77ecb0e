// Measures how much of the service a folder of playbooks reaches: a row for each operation, from the reports of the runs.
import type { Profile } from "../../src/contract/profile.ts";
import { operations, type Operation } from "../../src/operations/operation.ts";
import type { RunReport } from "../../src/report/shape.ts";
import { beyondReach } from "../coverage/beyond-reach.ts";
import { describedFields, fieldsIn, judge, operationOf } from "./exchanges.ts";
import type { Exchange } from "./proxy.ts";

/** The condition with which a step of a playbook expects to be refused. */
export type Expected = (file: string, step: string) => string | undefined;

/** How often an operation was done, and the conditions with which it was refused. */
export interface Reached {
  steps: number;
  readonly refusals: Set<string>;
}

/** What the runs of one command reached, by operation. */
export function reachedIn(reports: readonly RunReport[], expected: Expected): ReadonlyMap<string, Reached> {
  const reached = new Map([...operations.keys()].map((name) => [name, { steps: 0, refusals: new Set<string>() }]));
  for (const { run, steps } of reports) {
    for (const { id, uses, outcome, refusal } of steps) {
      const operation = reached.get(uses);
      if (operation === undefined || (outcome !== "ok" && outcome !== "changed")) continue;
      const condition = refusal === null ? undefined : expected(run.playbook.file, id);
      if (condition === undefined) operation.steps++;
      else operation.refusals.add(condition);
    }
  }
  return reached;
}

/** The number of exchanges of an operation, and what was wrong with them. */
export interface Wire {
  readonly requests: number;
  readonly problems: readonly string[];
}

/** Checks every exchange against the contract, by operation. At least one exchange must have each part of an answer that the contract describes. */
export function heldAgainstContract(exchanges: readonly Exchange[], profile: Profile): ReadonlyMap<string, Wire> {
  const byName = Map.groupBy(exchanges, (exchange) => operationOf(exchange)?.name);
  const strangers = byName.get(undefined) ?? [];
  if (strangers.length > 0) throw new Error(`no operation of the contract: ${strangers[0]?.method} ${strangers[0]?.target}`);
  return new Map(
    [...operations.values()].map(({ name, call }) => {
      const own = byName.get(name) ?? [];
      const verdicts = own.map((exchange) => judge(exchange, call, profile));
      const seen = new Set(own.flatMap((exchange) => fieldsIn(exchange, call)));
      const problems = [
        ...verdicts.flatMap(({ request }) => request.map((problem) => `request: ${problem}`)),
        ...verdicts.flatMap(({ answer }) => answer.map((problem) => `answer: ${problem}`)),
        ...describedFields(call).flatMap((field) => (seen.has(field) ? [] : [`no answer has ${field}`])),
      ];
      return [name, { requests: own.length, problems }];
    }),
  );
}

/** How to see that a write took effect, or why there is nothing to see. */
function probeOf({ writes, meaning }: Operation): string {
  if (!writes) return "a read: nothing to see";
  return meaning.discovery === undefined ? meaning.readBack : `${meaning.discovery.read} by our mark`;
}

/** One line of the table. A cell is empty if nothing was reached. */
export interface Row {
  readonly operation: string;
  readonly steps: string;
  readonly refusals: string;
  readonly wire: string;
  readonly probe: string;
}

/** Returns the table of all operations. `runs` are what several commands reached. A cell is filled only if all of them filled it. */
export function rowsOf(runs: readonly ReadonlyMap<string, Reached>[], wire: ReadonlyMap<string, Wire>): readonly Row[] {
  return [...operations.values()].map((operation) => {
    const counts = runs.map((run) => run.get(operation.name)?.steps ?? 0);
    const { requests = 0, problems = [] } = wire.get(operation.name) ?? {};
    return {
      operation: operation.name,
      steps: counts.includes(0) ? "" : counts.join(" + "),
      refusals: refusalsOf(operation, runs),
      wire: requests === 0 || problems.length > 0 ? "" : `${requests} of ${requests}`,
      probe: probeOf(operation),
    };
  });
}

function refusalsOf(operation: Operation, runs: readonly ReadonlyMap<string, Reached>[]): string {
  const { conditions } = operation.call;
  if (conditions.length === 0) return "none listed";
  const missed = missedBy(operation, runs);
  if (missed.some((condition) => beyondReach(operation, condition) === undefined)) return "";
  const without = missed.length === 0 ? "" : ` (without ${missed.join(", ")})`;
  return `${conditions.length - missed.length} of ${conditions.length}${without}`;
}

/** Why the conditions that are listed and not reached cannot be reached. Each reason appears once. */
export function reasonsOf(runs: readonly ReadonlyMap<string, Reached>[]): string {
  const missed = [...operations.values()].flatMap((operation) =>
    missedBy(operation, runs).map((condition) => ({
      pair: `${operation.name}: ${condition}`,
      reason: beyondReach(operation, condition) ?? "no reason",
    })),
  );
  const byReason = Map.groupBy(missed, ({ reason }) => reason);
  return [...byReason].map(([reason, pairs]) => `${reason}\n  ${pairs.map(({ pair }) => pair).join("\n  ")}`).join("\n");
}

function missedBy({ name, call }: Operation, runs: readonly ReadonlyMap<string, Reached>[]): readonly string[] {
  return call.conditions.filter((condition) => !runs.every((run) => run.get(name)?.refusals.has(condition) === true));
}

const HEADINGS: Row = { operation: "operation", steps: "steps", refusals: "refusals", wire: "by the contract", probe: "seen by" };

/** Returns the rows as text, in columns. */
export function tableOf(rows: readonly Row[]): string {
  const all = [HEADINGS, ...rows];
  const width = (column: keyof Row): number => Math.max(...all.map((row) => row[column].length));
  const columns = ["operation", "steps", "refusals", "wire"] as const;
  return all.map((row) => [...columns.map((column) => row[column].padEnd(width(column))), row.probe].join("  ")).join("\n");
}
