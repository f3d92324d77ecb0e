import type { Comparison } from "../../src/protocol/comparison.ts";
import { type Printed, type Project, stepIn } from "./world.ts";

/** What one reconciliation of a report has found. */
export function comparisonIn(printed: Pick<Printed, "reports">, step: string): Comparison {
  const { comparison } = stepIn(printed, step);
  if (comparison === null) throw new Error(`${step} has compared nothing`);
  return comparison;
}

/** How a playbook that comes with the tool ended, and what one of its reconciliations has found. */
export interface Reconciled {
  readonly code: number | null;
  readonly transcript: string;
  readonly found: Comparison;
  /** A line for each drift. */
  readonly drifts: readonly string[];
}

/** Runs a playbook that comes with the tool with these inputs. */
export async function reconcile(
  project: Project,
  name: string,
  step: string,
  inputs: Readonly<Record<string, unknown>>,
): Promise<Reconciled> {
  project.write("inputs.json", JSON.stringify(inputs));
  const { code, transcript, data } = await project.json("run", `tokenbook/${name}.yaml`, "--inputs", "inputs.json");
  const found = comparisonIn(data, `reconcile.${step}`);
  const drifts = found.drifts.map(
    ({ kind, key, left, right }) => `${kind} ${Object.values(key).join(" ")} ${left ?? "-"} | ${right ?? "-"}`,
  );
  return { code, transcript, found, drifts };
}
