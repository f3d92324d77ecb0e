import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import type { ExplainedDrift, HistoryEntry, KnownDrift } from "../../../src/protocol/drift.ts";
import { driftPage } from "../../../src/report/html/pages/drift.ts";
import { driftsPage } from "../../../src/report/html/pages/drifts.ts";
import { el } from "../../../src/report/html/markup.ts";
import { plotOf } from "../../../src/report/html/parts/plot.ts";
import { overviewPage } from "../../../src/report/html/pages/overview.ts";
import { NO_OVERVIEW } from "./no-overview.ts";
import { type ListedRun, runsPage } from "../../../src/report/html/pages/runs.ts";
import { schedulePage } from "../../../src/report/html/pages/schedule.ts";
import { type ListedFiring, type ListedSchedule, schedulesPage } from "../../../src/report/html/pages/schedules.ts";

const DRIFT: KnownDrift = {
  id: "3fa91c02bd40",
  kind: "differs",
  key: { holder: "alice" },
  left: "2",
  right: "1",
  difference: "1",
  state: "persisting",
  since: 0,
  acknowledged: null,
  of: { environment: "here", playbook: "Nightly", comparison: "accounts", scope: "" },
  title: "File against ledger",
  sides: { left: "file", right: "ledger" },
  lastSeen: 0,
  lastRun: "run1",
  clearedAt: null,
};

function count(pieces: Iterable<string>, what: RegExp): number {
  return [...pieces].join("").match(what)?.length ?? 0;
}

test("before the first run, the overview does not say that nothing needs attention", () => {
  const page = [...overviewPage(NO_OVERVIEW)].join("");
  expect(page).not.toContain("Nothing need");
  expect(count([page], /Nothing has run yet/g)).toBe(2);
});

test("the overview does not say that nothing needs attention while a comparison is unfinished", () => {
  const page = [...overviewPage({ ...NO_OVERVIEW, unfinishedComparisons: 1 })].join("");
  expect(page).not.toContain("Nothing need");
  expect(page).toContain("1 comparison was not finished by its last run, so there may be drifts that are not listed");
});

test("a list of drifts is limited, and says that there are more", () => {
  const drifts = Array.from({ length: LIMITS.viewDrifts + 1 }, (_, at) => ({ ...DRIFT, key: { holder: `holder-${at}` } }));
  const all = { state: "", words: "", all: false };
  const page = [...driftsPage({ drifts, total: drifts.length + 5, unfinished: 0 }, all)].join("");
  expect(count([page], /<tr><th scope="row">/g)).toBe(LIMITS.viewDrifts);
  expect(page).toContain("Nightly, environment here: 1001 drifts, the newest 1000 of them");
  expect(page).toContain("The newest 1000 of these; search for others.");
  expect(page).toContain("Looked for in the newest 1001; tokenbook drift list lists more.");
  const last = [...driftsPage({ drifts, total: drifts.length, unfinished: 0 }, { ...all, words: "holder-1000 FILE" })].join("");
  expect(last).toContain("<h1>1 drift of 1001</h1>");
});

test("the list of drifts can be filtered by the state new", () => {
  const drifts = [DRIFT, { ...DRIFT, id: "3fa91c02bd41", state: "new" as const }];
  const page = [...driftsPage({ drifts, total: 2, unfinished: 0 }, { state: "new", words: "", all: false })].join("");
  expect(page).toContain("<h1>1 drift of 2</h1>");
  expect(page).toMatch(/<option value="new" selected[^>]*>new</);
});

test("the page of a drift shows the latest entries of its history", () => {
  const history = Array.from({ length: LIMITS.viewHistory + 7 }, (_, at): HistoryEntry => {
    return { at, what: "seen", by: `run${at}`, left: "2", right: "1", difference: "1", because: null, until: null };
  });
  const drift: ExplainedDrift = { ...DRIFT, evidence: null, history };
  const page = [...driftPage(drift, 0)].join("");
  expect(count([page], /<tr><th scope="row">/g)).toBe(LIMITS.viewHistory);
  expect(page).toContain('7 earlier ones: <code class="typed">tokenbook drift show ');
  expect(page).toContain('/runs/run506"');
  expect(page).not.toContain('/runs/run6"');
  expect(count([page], /<circle /g)).toBe(3 * LIMITS.plotPoints);
});

const SCHEDULE: ListedSchedule = {
  id: "nightly.yaml@here",
  playbook: "nightly.yaml",
  environment: "here",
  cron: null,
  timezone: null,
  next: [],
  last: null,
  lastSuccess: null,
  running: null,
  unserved: null,
  waiting: 0,
  missed: { count: 0, last: null },
  blockedBy: null,
};

test("the page of a schedule shows its latest firings, and the list of schedules is limited", () => {
  const at = new Date(0).toISOString();
  const firing: ListedFiring = {
    tick: at,
    state: "missed",
    run: null,
    tries: 0,
    startedAt: null,
    endedAt: null,
    heldBy: null,
    problem: null,
  };
  const page = [
    ...schedulePage(
      SCHEDULE,
      Array.from({ length: LIMITS.viewHistory }, () => firing),
    ),
  ].join("");
  expect(count([page], /<rect /g)).toBe(LIMITS.plotPoints);
  expect(page).toContain("200 missed</p>");
  expect(page).toContain('The latest 500; to list more: <code class="typed">tokenbook schedule history</code>');
  expect([...schedulesPage([SCHEDULE], 3)].join("")).toContain('2 more: <code class="typed">tokenbook schedule list</code>');
});

test("a firing that could not start a run needs attention", () => {
  const firing: ListedFiring = {
    tick: new Date(0).toISOString(),
    state: "failed",
    run: null,
    tries: 0,
    startedAt: null,
    endedAt: null,
    heldBy: null,
    problem: { message: "1 playbook of 1 cannot be run" },
  };
  const passed: ListedRun = {
    id: "run1",
    playbook: "nightly.yaml",
    environment: "here",
    openedAt: new Date(0).toISOString(),
    outcome: "passed",
    heldBy: null,
    detail: null,
  };
  const overviewAfter = (last: ListedFiring): string =>
    [...overviewPage({ ...NO_OVERVIEW, latest: [passed], schedules: [{ ...SCHEDULE, last }] })].join("");
  const broken = overviewAfter(firing);
  expect(broken).not.toContain("Nothing need");
  expect(broken).toContain("without a run: 1 playbook of 1 cannot be run");
  expect(overviewAfter({ ...firing, state: "passed", run: "run1", problem: null })).toContain("✓ Nothing needed attention at ");
});

test("a list of the latest runs counts all runs, and says which ones it searched", () => {
  const page = [...runsPage({ runs: [], total: 1_202 }, { outcome: "pending", words: "" })].join("");
  expect(page).toContain("<h1>0 runs of 1202</h1>");
  expect(page).toContain('Looked for in the latest 0; to list all: <code class="typed">tokenbook runs --limit 1202</code>');
});

test("a plot distinguishes values that are equal as doubles, and breaks where a value is missing", () => {
  const huge = "1".padEnd(400, "0");
  const values = [huge, null, `${huge.slice(0, -1)}1`, `${huge.slice(0, -1)}2`];
  const drawn = el("div", {}, plotOf("Values", [values.map((value, at) => ({ at, value }))])).html;
  expect([...drawn.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => y)).toEqual(["54", "30", "6"]);
  expect(/ d="([^"]+)"/.exec(drawn)?.[1]).toBe("M6 54M158 30L234 6");
  expect(plotOf("Values", [[{ at: 0, value: null }]])).toBeUndefined();
});

test("the caption of a plot with two lines says how each is drawn, or that it has no value", () => {
  const line = (value: string | null): readonly { readonly at: number; readonly value: string | null }[] => [{ at: 0, value }];
  const captionOf = (left: string | null, right: string | null): string =>
    / aria-label="([^"]+)"/.exec(el("div", {}, plotOf("Values", [line(left), line(right)], ["register", "file"])).html)?.[1] ??
    "";
  expect(captionOf("1209", "9")).toBe("Values: register solid, file dashed, 9 to 1209");
  expect(captionOf("1209", null)).toBe("Values: register solid, file without a value, 1209 throughout");
  expect(captionOf(null, "1209")).toBe("Values: register without a value, file dashed, 1209 throughout");
});

test("the overview links to the list of the drifts that it leaves out", () => {
  const overviewOf = (drifts: number): string =>
    [...overviewPage({ ...NO_OVERVIEW, drifts: Array.from({ length: drifts }, () => DRIFT) })].join("");
  expect(overviewOf(25)).toContain('and 5 more, in <a href="../drifts/">Drift</a></li>');
  expect(overviewOf(20)).not.toContain("more, in");
});
