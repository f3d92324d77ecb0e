import { expect, test } from "vitest";
import { PlainView } from "../../../../src/cli/view/plain.ts";
import { reportLines } from "../../../../src/report/text.ts";
import { reportOf } from "../../../../src/report/model.ts";
import { Records, RUNS, START } from "../records.ts";
import { watched } from "./watched.ts";

function shown(
  records: Records,
  { since = START, files = [] }: { since?: number; files?: readonly string[] } = {},
): readonly string[] {
  let text = "";
  const view = new PlainView({ detail: "full", write: (part) => void (text += part), clock: { now: () => since }, files });
  const observer = watched(view);
  for (const record of records.all) observer.event(record);
  void observer.end?.();
  void view.end();
  return text.split("\n").slice(0, -1);
}

test("the live lines of a run are the same as those of its report", () => {
  const runs = Object.entries(RUNS).filter(([name]) => name !== "resumed");
  const expected = runs.map(([, records]) => reportLines(reportOf(records().all), "full"));
  expect(runs.map(([, records]) => shown(records()))).toEqual(expected);
});

test("the line of a step is printed when the step ends", () => {
  let text = "";
  const view = new PlainView({ detail: "full", write: (part) => void (text += part), clock: { now: () => START }, files: [] });
  const observer = watched(view);
  observer.event({ kind: "step.started", step: "asset", at: START });
  for (const record of new Records().opened().written("asset").all) observer.event(record);
  expect(text.split("\n")).toEqual([expect.stringMatching(/^▶/), expect.stringMatching(/^✓ changed {2}asset/), ""]);
});

test("a resumed run shows the steps done before in one line, and the old stop not again", () => {
  const records = RUNS["resumed"]?.() ?? new Records();
  const [, second] = records.all.filter(({ kind }) => kind === "run.claimed");
  const lines = shown(records, { since: second?.at ?? 0 });
  expect(lines.map((line) => line.slice(0, 28))).toEqual([
    "▶ Onboard a property  (playb",
    "    1 of 4 steps done before",
    "✓ changed  mint  Mint the sh",
    "    attempt 2: applied, as r",
    "– skipped  approvals  Approv",
    "✓ ok       owned  See who ow",
    "✓ passed  Onboard a property",
  ]);
});

test("a run that had passed before is shown as a summary", () => {
  expect(shown(RUNS["passed"]?.() ?? new Records(), { since: START + 1e9 }).map((line) => line.slice(0, 28))).toEqual([
    "▶ Onboard a property  (playb",
    "    5 of 5 steps done before",
    "✓ passed  Onboard a property",
    "    output token: LFT1",
    "    output supply: 900719925",
  ]);
});

test("with several runs, each line has its file, and the last line counts the runs", () => {
  const lines = shown(RUNS["failed"]?.() ?? new Records(), { files: ["playbooks/onboarding.yaml", "other.yaml"] });
  expect(lines.slice(0, -1).every((line) => line.startsWith("[onboarding.yaml] "))).toBe(true);
  expect(lines.at(-1)).toBe("1 run: 1 failed");
});

test("with files of the same name, each line has the path", () => {
  const lines = shown(RUNS["failed"]?.() ?? new Records(), { files: ["playbooks/onboarding.yaml", "others/onboarding.yaml"] });
  expect(lines.slice(0, -1).every((line) => line.startsWith("[playbooks/onboarding.yaml] "))).toBe(true);
});

test("a run that never began prints nothing", () => {
  expect(shown(new Records())).toEqual([]);
});

test("3,000 steps give 3,000 lines, the last as fast as the first", () => {
  const steps = Array.from({ length: 3_000 }, (_, at) => ({
    id: `s${at}`,
    name: `Step ${at}`,
    uses: "ledger.asset.get",
    line: at,
  }));
  const records = new Records().opened({ steps });
  for (const { id } of steps) records.written(id);
  expect(shown(records.closed("passed"))).toHaveLength(3_002);
});
