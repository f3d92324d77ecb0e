import { completedAdvice, type Hint } from "../../base/command-line.ts";
import { count } from "../../base/text/text.ts";
import { foreignLines } from "../formats/foreign-text.ts";
import { labelled, nextLines } from "../problem.ts";
import { type DoctorDocument, AREAS, type DoctorFinding, type Grade } from "./shape.ts";

const MARKS: Readonly<Record<Grade, string>> = { ok: "✓", warning: "!", problem: "✗" };
const INDENT = "    ";

/** Describes each finding on a line, with how to fix what is wrong. */
export function doctorLines({ environment, findings }: DoctorDocument, hint: Hint): readonly string[] {
  const byArea = Map.groupBy(findings, ({ area }) => area);
  const parts = AREAS.flatMap((area) => {
    const members = byArea.get(area) ?? [];
    return members.length === 0 ? [] : [HEADINGS[area], ...members.flatMap((finding) => findingLines(finding, hint)), ""];
  });
  return [...parts, summaryLine(environment, findings)];
}

const HEADINGS = {
  program: "Program",
  terminal: "Terminal",
  project: "Project",
  keys: "Keys",
  state: "State",
  service: "Service",
  profile: "Profile",
} as const;

function findingLines({ grade, message, why, next }: DoctorFinding, hint: Hint): readonly string[] {
  const [first = "", ...rest] = foreignLines(message);
  const more = [
    ...rest,
    ...(why === null ? [] : labelled("why", why)),
    ...(next === null ? [] : nextLines(completedAdvice(next, hint))),
  ];
  return [`  ${MARKS[grade]} ${first}`, ...more.map((line) => `${INDENT}${line}`)];
}

function summaryLine(environment: string | null, findings: readonly DoctorFinding[]): string {
  const about = environment === null ? "" : ` for environment ${environment}`;
  const wrong = findings.filter(({ grade }) => grade === "problem").length;
  const doubtful = findings.filter(({ grade }) => grade === "warning").length;
  const look = doubtful === 0 ? "" : `${wrong === 0 ? "; " : ", "}${count(doubtful, "thing")} to look at`;
  return wrong === 0 ? `✓ ready to run${about}${look}` : `✗ ${count(wrong, "thing")} to fix${about}${look}`;
}
