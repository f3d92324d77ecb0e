// Reports of every kind of run, so that people and tests can look at their pages.
import { Expression } from "../../src/expression/expression.ts";
import { firstBroken } from "../../src/engine/steps/expectations.ts";
import { Decimal } from "../../src/base/numbers/decimal.ts";
import { type JsonObject, parseJson } from "../../src/base/json/json.ts";
import type { Comparison, Drift } from "../../src/protocol/comparison.ts";
import type { ExplainedDrift, HistoryEntry, KnownDrift } from "../../src/protocol/drift.ts";
import type { StepHeading } from "../../src/protocol/heading.ts";
import { comparePage } from "../../src/report/html/pages/compare.ts";
import { driftPage } from "../../src/report/html/pages/drift.ts";
import { overviewPage } from "../../src/report/html/pages/overview.ts";
import { NO_OVERVIEW } from "../unit/report/no-overview.ts";
import { driftsPage } from "../../src/report/html/pages/drifts.ts";
import { runPage } from "../../src/report/html/pages/page.ts";
import { type ListedRun, runsPage } from "../../src/report/html/pages/runs.ts";
import { schedulePage } from "../../src/report/html/pages/schedule.ts";
import { type ListedFiring, type ListedSchedule, schedulesPage } from "../../src/report/html/pages/schedules.ts";
import { reportOf } from "../../src/report/model.ts";
import type { RunReport } from "../../src/report/shape.ts";
import type { FiringState } from "../../src/report/schedule/shape.ts";
import { Records, RUNS, START, TRANSACTION } from "../unit/report/records.ts";

/** A run whose last expectation fails. It shows the tree of the expectation, a write that was settled by reading, and a write sent twice. */
function expectation(): RunReport {
  const scope = parseJson(
    '{"response":{"totalSupply":90.00,"owners":[{"userId":"alice"},{"userId":"bob"}],"status":"ACTIVE","id":"LFT1"}}',
  ) as JsonObject;
  const written = 'response.totalSupply == 100 && response.owners.exists(o, o.userId == "carol")';
  const records = new Records()
    .opened()
    .written("asset")
    .intended("mint")
    .answered("mint", { meaning: "ambiguous", status: 502, payload: null, receiptId: null, message: "HTTP 502: Bad Gateway" })
    .add({
      kind: "attempt.settled",
      step: "mint",
      attempt: 0,
      verdict: "absent",
      evidence: {
        total: { before: 0, now: 0 } as never,
        because: "it was declared that after 15 minutes nothing more takes effect",
      },
    })
    .intended("mint", 1)
    .answered("mint", { attempt: 1, meaning: "ambiguous", status: null, message: "no whole answer within 30000 ms" })
    .add({
      kind: "attempt.settled",
      step: "mint",
      attempt: 1,
      verdict: "applied",
      evidence: { total: { before: 0, now: 90 } as never, transaction: TRANSACTION },
      transactionId: TRANSACTION,
    })
    .add({
      kind: "step.completed",
      step: "mint",
      outcome: "changed",
      value: { response: null, transactionId: TRANSACTION },
      startedAt: START + 6_000,
      requests: 2,
    })
    .expanded("approvals", ["bob", "dora"])
    .written("approvals[bob]")
    .written("approvals[dora]");
  const problem = firstBroken([Expression.parse(written) as Expression], scope)?.problem;
  return reportOf(records.stopped("owned", "failed", problem).closed("failed").all);
}

/** Returns a run with this many steps. Most of them passed. */
export function longRun(steps: number): RunReport {
  const headings = Array.from({ length: steps }, (_, at): StepHeading => ({
    id: `step${at + 1}`,
    name: `Step ${at + 1} of many`,
    uses: at % 5 === 0 ? "ledger.token.mint" : "ledger.asset.get",
    line: at + 5,
  }));
  const records = new Records().opened({ steps: headings, name: "A long reconciliation" });
  for (const [at, { id }] of headings.entries()) {
    if (at === steps - 3) records.stopped(id, "failed");
    else if (at > steps - 3) break;
    else if (at % 5 === 0) records.written(id);
    else if (at % 7 === 0) records.skipped(id);
    else records.read(id);
  }
  return reportOf(records.closed("failed").all);
}

const COMPARED = { id: "reconcile.accounts", name: "File against ledger", uses: "reconcile", line: 9, kind: "check" } as const;

/** A reconciliation of one night, in which `drifts` accounts differ from the file. */
function night(number: number, drifts: number): RunReport {
  const at = START + number * 86_400_000;
  const side = { rows: 1_204, keys: 1_204, from: at, to: at + 900 };
  const found = Array.from({ length: drifts }, (_, drift): Drift => {
    const [left, right] = [String(100 + drift), drift % 3 === 2 ? null : String(100.5 - drift * 2)];
    return {
      id: `3fa91c02bd4${drift}`,
      kind: right === null ? "missing-right" : "differs",
      key: { holder: `holder-${drift}`, token: "Gold" },
      left,
      right,
      difference: right === null ? null : String(Number(left) - Number(right)),
      state: drift === 1 ? "acknowledged" : number === 0 ? "new" : "persisting",
      since: START,
      acknowledged: drift === 1 ? { until: at + 864_000_000, who: "dora", because: "a refund is under way" } : null,
    };
  });
  const acknowledged = drifts > 1 ? 1 : 0;
  const comparison: Comparison = {
    left: { name: "file", ...side, sum: "120450.500000000000000001", requests: 0 },
    right: { name: "ledger", ...side, sum: String(120_450 - drifts * 7), requests: 13 },
    totalsOf: "token",
    totals: [
      { of: "Gold", left: "120450.500000000000000001", right: String(120_450 - drifts * 7) },
      { of: "Silver", left: "17", right: "17" },
    ],
    looks: drifts === 0 ? 1 : 2,
    counts: {
      compared: 1_204,
      new: number === 0 ? drifts - acknowledged : 0,
      persisting: number === 0 ? 0 : drifts - acknowledged,
      changed: 0,
      acknowledged,
      cleared: number === 2 ? 1 : 0,
      moving: 1,
      settled: 2,
      notCompared: 0,
    },
    drifts: found,
    cleared: number === 2 ? [{ id: "77aa01c2bd47", kind: "differs", key: { holder: "zoe", token: "Gold" }, since: START }] : [],
    moving: [{ key: { holder: "ann", token: "Gold" }, left: "1", right: "2" }],
    gaps: [],
  };
  const records = new Records().opened({
    name: "Nightly",
    file: "playbooks/nightly.yaml",
    steps: [COMPARED],
    runId: `2026112${number}T0230-k3x9q2ab`,
  });
  const outcome = drifts > acknowledged ? "drift" : "passed";
  if (outcome === "passed")
    records.add({
      kind: "step.completed",
      step: COMPARED.id,
      outcome: "ok",
      value: {},
      startedAt: START,
      requests: 13,
      comparison,
    });
  else {
    const problem = {
      code: "reconcile.drift",
      message: `${drifts} drifts that nobody has acknowledged`,
      next: "tokenbook drift list",
    };
    records.add({ kind: "step.stopped", step: COMPARED.id, outcome: "drift", problem, startedAt: START, comparison });
  }
  const all = records.closed(outcome).all.map((record) => ({ ...record, at: record.at + at - START }));
  return reportOf(all);
}

const NESTED: readonly StepHeading[] = [
  { id: "pay", name: "Pay each holder", uses: "block", line: 1, kind: "block" },
  { id: "balance", name: "Balance before", uses: "ledger.account.get", line: 2, depth: 1 },
  { id: "deposit", name: "Deposit", uses: "deposit.yaml", line: 3, kind: "include", depth: 1 },
  { id: "deposit/mint", name: "Mint", uses: "ledger.token.mint", line: 1, depth: 2 },
  { id: "notify", name: "Notify", uses: "ledger.asset.get", line: 4, depth: 1 },
  { id: "approvals", name: "Approve", uses: "ledger.transfer.approve", line: 5 },
  { id: "owned", name: "See who owns it", uses: "ledger.asset.get", line: 6 },
];

/** Rounds with steps within them. One step failed. */
function nested(): RunReport {
  const records = new Records()
    .opened({ steps: NESTED, name: "Pay the holders of the mill" })
    .expanded("approvals", ["ann", "eve"]);
  for (const who of ["ann", "eve"]) records.written(`approvals[${who}]`);
  records.read("owned").expanded("pay", ["alice", "bob", "carol"]);
  for (const who of ["alice", "bob", "carol"]) {
    records.add({ kind: "step.begun", step: `pay[${who}]` }).read(`balance[${who}]`);
    records.add({ kind: "step.begun", step: `deposit[${who}]` });
    if (who === "bob") {
      records.stopped(`deposit[${who}]/mint`, "failed", {
        code: "service.refused",
        message: "HTTP 422: mint quantity exceeded",
        why: "the token allows at most 100 in one mint",
        next: "lower the value, then\ntokenbook resume 20261121T0930-k3x9q2ab",
      });
      continue;
    }
    records.written(`deposit[${who}]/mint`);
    for (const step of [`deposit[${who}]`, `pay[${who}]`]) {
      records.add({ kind: "step.completed", step, outcome: "ok", value: {}, startedAt: START, requests: 0 });
    }
  }
  return reportOf(records.closed("failed").all);
}

/** A write that waited and was sent again, and an approval after two hours. Also shows the conditions that held. */
function waited(): RunReport {
  const records = new Records().opened().written("asset");
  records.intended("mint").answered("mint", { meaning: "refused-later", status: 429, payload: null, receiptId: null });
  records.pass(4_000).intended("mint", 1, { waitedMs: 4_000 }).answered("mint", { attempt: 1 });
  const value = { response: null, transactionId: TRANSACTION };
  const about = { kind: "step.completed", requests: 2, startedAt: records.at } as const;
  records.add({ ...about, step: "mint", outcome: "changed", value });
  const problem = { code: "until.timeout", message: "after 30 s this does not hold" };
  records.add({ kind: "step.stopped", step: "owned", outcome: "pending", problem, startedAt: records.at - 950, waitedMs: 900 });
  records.closed("pending").pass(7_200_000).claimed();
  const shown = [
    { keyword: "until", expression: "response.owners.exists(o, o == actors.buyer)", value: [{ orgId: "org1", userId: "carol" }] },
    { keyword: "expect", expression: "response.data.value >= inputs.least", value: Decimal.of(512_000) },
    { keyword: "expect", expression: 'response.status == "ACTIVE"', value: "ACTIVE" },
  ] as const;
  const held = {
    total: 5,
    shown: shown.map(({ value: seen, ...condition }) => ({
      ...condition,
      values: [{ expression: condition.expression.split(/[.](?:exists)| [=>]/)[0] ?? "", value: seen }],
    })),
  };
  records.add({
    ...about,
    step: "owned",
    outcome: "ok",
    value: { response: { status: "ACTIVE" } },
    startedAt: records.at - 20,
    held,
  });
  return reportOf(records.closed("passed").all);
}

function of(name: keyof typeof RUNS): RunReport {
  return reportOf(RUNS[name]?.().all ?? []);
}

/** The reports on each page. */
export const PAGES: Readonly<Record<string, () => readonly RunReport[]>> = {
  passed: () => [of("passed")],
  failed: () => [expectation()],
  refused: () => [of("failed")],
  unknown: () => [of("unknown")],
  pending: () => [of("pending")],
  resumed: () => [of("resumed")],
  several: () => ["passed", "failed", "unknown", "pending", "killed", "outputless"].map((name) => of(name)),
  nested: () => [nested()],
  waited: () => [waited()],
  drift: () => [night(0, 5)],
  nights: () => [night(0, 5), night(1, 7), night(2, 2), night(3, 0)],
  long: () => [longRun(10_000)],
};

const LISTED: readonly ListedRun[] = (["passed", "drift", "failed", "unknown", "pending", "running"] as const).map(
  (outcome, at) => ({
    id: `2026112${at}T0930-k3x9q2a${at}`,
    playbook: at === 1 ? "playbooks/nightly.yaml" : "playbooks/onboarding.yaml",
    environment: "staging",
    openedAt: new Date(START - at * 3_600_000).toISOString(),
    outcome,
    heldBy: outcome === "running" ? "process 4711 on desk" : null,
    detail:
      at === 2
        ? null
        : { name: at === 1 ? "Nightly" : "Onboard a property", durationMs: 4_200 * at, counts: "5 steps: 4 changed, 1 ok" },
  }),
);

const DAY_MS = 86_400_000;
const NOW = START + 9 * DAY_MS;

const KNOWN: readonly KnownDrift[] = (["differs", "missing-right", "differs", "unit"] as const).map((kind, at): KnownDrift => {
  const right = kind === "missing-right" ? null : ["100.500000000000000001", null, "87", "1250"][at];
  return {
    id: `3fa91c02bd4${at}`,
    kind,
    key: at === 3 ? { vault: "mill-street" } : { holder: `holder-${at}`, token: "Gold" },
    left: ["120.5", "40", "80", "125000"][at] ?? null,
    right: right ?? null,
    difference: ["19.999999999999999999", null, "-7", "123750"][at] ?? null,
    state: (["persisting", "persisting", "acknowledged", "changed"] as const)[at] ?? "persisting",
    since: START + at * DAY_MS,
    acknowledged: at < 2 ? null : { until: NOW + 6 * DAY_MS, who: "dora", because: "a refund is under way" },
    of: {
      environment: "staging",
      playbook: at === 3 ? "Vaults each hour" : "Nightly",
      comparison: at === 3 ? "reconcile.vaults" : "reconcile.accounts",
      scope: at === 3 ? "eu" : "",
    },
    title: at === 3 ? "Shares against assets" : "File against ledger",
    sides: { left: at === 3 ? "shares" : "file", right: at === 3 ? "assets" : "ledger" },
    lastSeen: NOW - at * 3_600_000,
    lastRun: `2026113${at}T0230-k3x9q2ab`,
    clearedAt: at === 1 ? NOW : null,
  };
});

function differenceOf(left: string, right: string): string | null {
  const [more, less] = [Decimal.parse(left), Decimal.parse(right)];
  return more === undefined || less === undefined ? null : more.minus(less).canonical();
}

/** A drift that lasted a week, except for one night. */
function explained(): ExplainedDrift {
  const lefts = ["110", "112.5", null, "120.5", "120.5", "118", "120.5", "120.5"];
  const rights = ["100.5", "100.5", null, "100.5", "96", "96.25", "100.5", "100.500000000000000001"];
  const none = { because: null, until: null };
  const nights = lefts.map((left, at): HistoryEntry => {
    const right = rights[at] ?? null;
    const difference = left === null || right === null ? null : differenceOf(left, right);
    const by = `2026112${at}T0230-k3x9q2ab`;
    return { at: START + at * DAY_MS, what: left === null ? "cleared" : "seen", by, left, right, difference, ...none };
  });
  const values = { left: "120.5", right: "96", difference: "24.5" };
  const words = (["dora", "emil"] as const).map((by, at): HistoryEntry => ({
    at: START + (4 + at * 3) * DAY_MS + 5_000_000,
    what: "acknowledged",
    by,
    ...values,
    because: "a refund is under way: the bank says until Friday",
    until: NOW + at * DAY_MS * 5,
  }));
  const [first] = KNOWN;
  if (first === undefined) throw new Error("there is no drift");
  const read = { operation: "ledger.account.list", input: { tokenId: "Gold" }, actor: "auditor", page: "3" };
  return {
    ...first,
    state: "changed",
    evidence: {
      left: {
        rows: "1",
        read: [
          {
            operation: "expected.csv",
            input: {},
            page: "1",
            at: "2026-11-30T02:30:00.000Z",
            record: { holder: "holder-0", token: "Gold", balance: "120.50" },
          },
        ],
      },
      right: {
        rows: "7",
        read: [
          { ...read, at: "2026-11-30T02:30:01.120Z", record: { entity: { userId: "holder-0" }, balance: "60.5", frozen: false } },
          {
            ...read,
            at: "2026-11-30T02:30:01.240Z",
            record: { entity: { userId: "holder-0" }, balance: "40.000000000000000001", frozen: true },
          },
        ],
      },
    },
    history: [...nights, ...words].toSorted((a, b) => a.at - b.at),
  };
}

function firing(state: FiringState, at: number): ListedFiring {
  const tick = new Date(START + at * 3_600_000).toISOString();
  const hasRun = !["missed", "skipped", "replaced", "blocked"].includes(state);
  return {
    tick,
    state,
    run: hasRun ? `2026112${at % 10}T0930-k3x9q2a${at % 10}` : null,
    tries: hasRun ? 1 : 0,
    startedAt: hasRun ? tick : null,
    endedAt: hasRun && state !== "running" ? new Date(Date.parse(tick) + 3_000 + ((at * 7_919) % 41) * 900).toISOString() : null,
    heldBy: hasRun ? "process 4711 on desk" : null,
    problem: ["passed", "running"].includes(state)
      ? null
      : { message: `it was ${state}`, why: "the process 4711 that ran it is gone", next: "tokenbook schedule list" },
  };
}

const FIRED: readonly ListedFiring[] = Array.from({ length: 40 }, (_, at) =>
  firing((["failed", "missed", "drift", "died", "skipped"] as const)[at % 9] ?? "passed", at),
).toReversed();

const SCHEDULED: readonly ListedSchedule[] = (["playbooks/nightly.yaml", "playbooks/vaults.yaml", "mint.yaml"] as const).map(
  (playbook, at): ListedSchedule => ({
    id: `${playbook}@staging`,
    playbook,
    environment: "staging",
    cron: at === 2 ? null : "30 2 * * *",
    timezone: at === 2 ? null : "Europe/Berlin",
    next: (at === 2 ? [] : [1, 2, 3, 4, 5]).map((day) => ({
      utc: `2026-12-0${day}T01:30:00.000Z`,
      local: `2026-12-0${day} 02:30:00 +01:00`,
    })),
    last: at === 2 ? null : firing(at === 0 ? "passed" : "unknown", 39),
    lastSuccess: at === 0 ? new Date(START).toISOString() : null,
    running: at === 0 ? { ...firing("running", 40), alive: true } : null,
    unserved: null,
    waiting: at === 0 ? 1 : 0,
    missed: at === 1 ? { count: 3, last: new Date(START).toISOString() } : { count: 0, last: null },
    blockedBy: at === 1 ? { runId: "20261120T0930-k3x9q2a0", outcome: "unknown" } : null,
  }),
);

/** Pages that only a server shows. */
export const SERVED: Readonly<Record<string, () => Iterable<string>>> = {
  overview: () =>
    overviewPage({
      ...NO_OVERVIEW,
      runs: LISTED.filter(({ outcome }) => outcome !== "passed"),
      latest: LISTED,
      days: Array.from({ length: 29 }, (_, at) => {
        return { day: Math.floor(NOW / DAY_MS) - at, outcome: LISTED[at % 6]?.outcome ?? "passed", runs: 1 + ((at * at) % 11) };
      }),
      drifts: KNOWN.filter(({ state }) => state !== "acknowledged"),
      schedules: SCHEDULED,
      now: NOW,
    }),
  "overview-none": () => overviewPage({ ...NO_OVERVIEW, now: NOW }),
  list: () => runsPage({ runs: LISTED, total: LISTED.length }, { outcome: "", words: "" }),
  compare: () => comparePage(of("resumed"), expectation()),
  "compare-nights": () => comparePage(night(0, 5), night(2, 2)),
  drifts: () => driftsPage({ drifts: KNOWN, total: KNOWN.length, unfinished: 0 }, { state: "", words: "", all: true }),
  "drifts-none": () => driftsPage({ drifts: [], total: 0, unfinished: 0 }, { state: "", words: "", all: false }),
  "one-drift": () => driftPage(explained(), NOW),
  schedules: () => schedulesPage(SCHEDULED, SCHEDULED.length),
  "schedules-none": () => schedulesPage([], 0),
  "one-schedule": () => schedulePage(SCHEDULED[0] as ListedSchedule, FIRED),
  "blocked-schedule": () => schedulePage(SCHEDULED[1] as ListedSchedule, FIRED.slice(0, 3)),
  "run-drift": () => runPage(night(1, 7), { events: 9, heldBy: null }),
  live: () => runPage(of("killed"), { events: 9, heldBy: null }),
};
