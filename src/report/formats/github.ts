import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { workflowCommand } from "./annotation.ts";
import { type Case, casesOf, COUNTED_AS, notBegunCase } from "./cases.ts";
import { pathFromRoot, type Places } from "../check/checked.ts";
import { oneLine } from "./foreign-text.ts";
import type { NotBegun } from "../shape.ts";
import { actedAs, NOT_BEGUN } from "../words.ts";
import type { ReportedRun } from "../reported-run.ts";

interface FailedCase {
  readonly severity: "error" | "warning";
  readonly row: Case;
  readonly run: Run;
}

/** The run of a finding, or the playbook whose run did not begin. */
interface Run {
  readonly id: string | undefined;
  readonly outcome: string;
  readonly playbook: { readonly file: string };
}

/**
 * Returns workflow commands that annotate the lines of steps that did not end as expected: first errors, then warnings, up to the number of each that GitHub
 * shows for a job step.
 */
export function* runAnnotations(
  runs: readonly ReportedRun[],
  places: Places,
  notBegun: readonly NotBegun[] = [],
): Generator<string> {
  const findings = [
    ...notBegun.flatMap((each) =>
      findingOf(notBegunCase(each), { id: undefined, outcome: NOT_BEGUN.word, playbook: each.playbook }),
    ),
    ...runs.flatMap(({ report }) => casesOf(report).flatMap((row) => findingOf(row, report.run))),
  ];
  for (const severity of ["error", "warning"] as const) {
    const all = findings.filter((finding) => finding.severity === severity);
    const shown = all.length > LIMITS.annotations ? all.slice(0, LIMITS.annotations - 1) : all;
    for (const finding of shown) yield annotation(finding, places);
    const left = all.length - shown.length;
    if (left > 0)
      yield workflowCommand({ severity, properties: { title: "tokenbook" }, message: `and ${count(left, "step")} more` });
  }
}

function findingOf(row: Case, run: Run): readonly FailedCase[] {
  const { github: severity } = COUNTED_AS[row.verdict];
  if (severity !== "none") return [{ severity, row, run }];
  return row.warning.length > 0 ? [{ severity: "warning", row, run }] : [];
}

function annotation({ severity, row, run }: FailedCase, places: Places): string {
  const { step, name, type, message, lines, warning, comparison } = row;
  const file = step?.file ?? run.playbook.file;
  const properties = {
    file: pathFromRoot(file, places) ?? file,
    line: Math.max(1, step?.line ?? 1),
    title: oneLine(`${step === undefined ? run.outcome : warning.length === 0 ? step.outcome : "warned"} ${type}`),
  };
  const seen = lines.length > 0 ? lines : [message, ...warning].filter((line) => line !== "");
  const as = step === undefined ? "" : actedAs(step);
  const acted = as === "" ? [] : [`acted as ${oneLine(as)}`];
  return workflowCommand({
    severity,
    properties,
    message: [oneLine(name), ...acted, ...seen, ...comparison, ...(run.id === undefined ? [] : [`run ${oneLine(run.id)}`])].join(
      "\n",
    ),
  });
}
