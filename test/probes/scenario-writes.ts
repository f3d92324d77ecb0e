// The writes of the scenarios: one write of each kind.
import { readdirSync } from "node:fs";
import { expect } from "vitest";
import type { JsonObject } from "../../src/base/json/json.ts";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { ROOT } from "../stories/world.ts";
import type { Ran, runnerForTest } from "../unit/engine/server.ts";

/** One write of a scenario. */
export interface Write {
  readonly file: string;
  readonly step: string;
  /** The operation, and whether it writes units. */
  readonly kind: string;
}

/** The ways in which a request is lost. */
export type Loss = "its answer is lost" | "it never arrives";

/** What the sender sees when its request is lost. */
export const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };

// The same operations write fungible amounts and units of non-fungible tokens, but the run finds the two in different ways.
function kindOf(operation: string, input: JsonObject): string {
  const ofUnits = /"(nftData|assetId|assetIds)":/.test(JSON.stringify(input));
  return ofUnits ? `${operation} of units` : operation;
}

/** Runs a playbook, given as a file or a text, while something goes wrong. */
export type Run = (file: string, otherwise: Parameters<ReturnType<typeof runnerForTest>>[2]) => Promise<Ran>;

/** Returns the first write of each kind that took effect. */
export async function writesOf(run: Run): Promise<readonly Write[]> {
  const found = new Map<string, Write>();
  for (const file of readdirSync(`${ROOT}/playbooks/scenarios`).toSorted()) {
    const kinds = new Map<string, string>();
    const observe = (event: RunEvent): void => {
      if (event.kind === "attempt.intended") kinds.set(event.step, kindOf(event.operation, event.input));
      if (event.kind !== "step.completed" || event.outcome !== "changed") return;
      const kind = kinds.get(event.step);
      if (kind !== undefined && !found.has(kind)) found.set(kind, { file, step: event.step, kind });
    };
    const { outcome, stopped } = await run(file, { observe });
    expect(outcome, `${file}: ${JSON.stringify(stopped)}`).toBe("passed");
  }
  return [...found.values()].toSorted((a, b) => a.kind.localeCompare(b.kind));
}
