import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import type { Comparison } from "../../src/protocol/comparison.ts";
import { type Came, serve } from "../unit/engine/server.ts";
import { newProject, type Printed, type Project, ROOT, stepIn } from "./world.ts";

/** What one reconciliation of a report has found. */
export function comparisonIn(printed: Pick<Printed, "reports">, step: string): Comparison {
  const { comparison } = stepIn(printed, step);
  if (comparison === null) throw new Error(`${step} has compared nothing`);
  return comparison;
}

/** How a bundled playbook ended, and what one of its reconciliations has found. */
export interface Reconciled {
  readonly code: number | null;
  readonly transcript: string;
  readonly found: Comparison;
  /** One line for each drift. */
  readonly drifts: readonly string[];
}

/** Runs a bundled playbook with these inputs. */
export function reconcile(project: Project, name: string, step: string, inputs: Inputs): Promise<Reconciled> {
  return reconciled(project, `tokenbook/${name}.yaml`, step, inputs);
}

/** Does the same with a copy of the playbook that rechecks a difference at once instead of after a pause of seconds. */
export function reconcileAtOnce(project: Project, name: string, step: string, inputs: Inputs): Promise<Reconciled> {
  const document = parseDocument(readFileSync(join(ROOT, `library/${name}.yaml`), "utf8"));
  for (const comparison of (document.get("reconcile") as YAMLSeq<YAMLMap>).items) comparison.set("recheck", "1ms");
  project.write(`${name}.yaml`, document.toString());
  return reconciled(project, `${name}.yaml`, step, inputs);
}

type Inputs = Readonly<Record<string, unknown>>;

async function reconciled(project: Project, playbook: string, step: string, inputs: Inputs): Promise<Reconciled> {
  project.write("inputs.json", JSON.stringify(inputs));
  const { code, transcript, data } = await project.json("run", playbook, "--inputs", "inputs.json");
  const found = comparisonIn(data, `reconcile.${step}`);
  const drifts = found.drifts.map(
    ({ kind, key, left, right }) => `${kind} ${Object.values(key).join(" ")} ${left ?? "-"} | ${right ?? "-"}`,
  );
  return { code, transcript, found, drifts };
}

/** A project with a service that answers reads of these paths, whatever their parameters. */
export async function projectAt(answers: Readonly<Record<string, (came: Came) => unknown>>): Promise<Project> {
  const { url } = await serve((came) => {
    const answer = answers[came.path];
    return answer === undefined ? { status: 404, body: "{}" } : { body: JSON.stringify(answer(came)) };
  });
  const project = newProject();
  project.serviceAt(url);
  return project;
}

/** The only page of an investor's list. */
export function page(name: string, list: readonly object[]): object {
  return { status: "SUCCESS", response: { [name]: list }, pagination: { page: 1, totalPages: 1, totalItems: list.length } };
}
