import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { painted } from "../../../../src/cli/view/colour.ts";
import { LiveView } from "../../../../src/cli/view/live-view.ts";
import { PlainView } from "../../../../src/cli/view/plain.ts";
import type { Observer } from "../../../../src/report/fanout.ts";
import type { RunEvent } from "../../../../src/protocol/record.ts";
import { Records, START } from "../records.ts";
import { watched } from "./watched.ts";
import { EmulatedScreen } from "./emulator.ts";

// These files hold what a terminal shows during runs. Read them when they change.

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const NOW = START + 60_000;

function waiting(step: string, what: string): RunEvent {
  return { kind: "step.waiting", step, for: what, untilMs: START + 120_000, at: START + 20_000 };
}

function reading(step: string, pages: number, rows: number): RunEvent {
  return { kind: "step.reading", step, pages, rows, at: START + 40_000 };
}

function notify(observer: Observer, ...events: readonly RunEvent[]): void {
  for (const event of events) observer.event(event);
}

/** Returns the screen after these events, and the screen that remains when the view has ended. */
async function screens(columns: number, play: (view: LiveView) => void, rows = 24): Promise<string> {
  const screen = new EmulatedScreen(columns, rows);
  const onCrash = (error: unknown): void => expect.unreachable(String(error));
  const view = new LiveView({
    detail: "full",
    screen,
    clock: { now: () => NOW },
    colour: true,
    print: (text) => screen.write(painted(text)),
    onCrash,
  });
  play(view);
  await expect.poll(() => vi.getTimerCount(), { interval: 1 }).toBe(1);
  await vi.advanceTimersByTimeAsync(300);
  const during = await screen.lines();
  for (const line of during) expect(line.length).toBeLessThanOrEqual(columns);
  await view.end();
  const after = await screen.lines();
  const ruler = "─".repeat(columns);
  return [ruler, ...during.map(settled), ruler, ...after, ""].join("\n");
}

// Replaces the spinner, because it turns, and the wall-clock time, because it depends on the time zone.
function settled(line: string): string {
  return line.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠿").replaceAll(/\d\d:\d\d:\d\d/g, "hh:mm:ss");
}

function inTheMiddle(view: LiveView): void {
  const run = watched(view);
  notify(run, ...new Records().opened().written("asset").expanded("approvals", ["bob", "dora"]).all);
  notify(
    run,
    { kind: "step.started", step: "mint", at: START + 10_000 },
    waiting("mint", "the receipt 12eb7570cc8e35f72c8ad946"),
  );
  notify(run, { kind: "step.started", step: "owned", at: START + 30_000 }, reading("owned", 12, 3_000));
}

test.for([40, 80, 120])(
  "at %i columns the tree shows what is done, what waits, what is being read, and what comes next",
  async (columns) => {
    await expect(await screens(columns, inTheMiddle)).toMatchFileSnapshot(`screens/middle-${columns}.txt`);
  },
);

test("several parallel runs share the screen", async () => {
  const play = (view: LiveView): void => {
    inTheMiddle(view);
    notify(
      watched(view),
      ...new Records().opened({ name: "Sell the shares", runId: "20261121T0930-aaaaaaaa" }).written("asset").all,
    );
  };
  await expect(await screens(80, play, 12)).toMatchFileSnapshot("screens/two-runs.txt");
});

test.for([40, 80])("at %i columns the steps of blocks and included playbooks are indented with their marks", async (columns) => {
  const steps = [
    { id: "deposit", name: "Deposit the property", uses: "tokenbook/deposit.yaml", line: 3, kind: "include" as const },
    { id: "deposit/lies", name: "Where it lies", uses: "block", line: 4, depth: 1, kind: "block" as const },
    { id: "deposit/asset", name: "The asset is there", uses: "ledger.asset.get", line: 5, depth: 2 },
    { id: "deposit/mint", name: "Mint the shares", uses: "ledger.token.mint", line: 9, depth: 1 },
  ];
  const play = (view: LiveView): void => {
    const run = watched(view);
    notify(run, ...new Records().opened({ steps }).add({ kind: "step.begun", step: "deposit" }).all);
    notify(run, ...new Records().add({ kind: "step.begun", step: "deposit/lies" }).read("deposit/asset").all);
    notify(run, { kind: "step.started", step: "deposit/mint", at: START + 30_000 });
  };
  await expect(await screens(columns, play)).toMatchFileSnapshot(`screens/nested-${columns}.txt`);
});

test("each round has its own steps, and the final lines show the conditions that held with their values", async () => {
  const steps = [
    { id: "pay", name: "Pay each holder", uses: "block", line: 3, kind: "block" as const },
    { id: "mint", name: "Mint", uses: "ledger.token.mint", line: 4, depth: 1 },
    { id: "look", name: "Look", uses: "ledger.asset.get", line: 9, depth: 1 },
    { id: "owned", name: "See who owns it", uses: "ledger.asset.get", line: 12 },
  ];
  const value = { expression: "response.balance", value: 90 as never };
  const condition = { keyword: "expect", expression: "response.balance >= inputs.least", values: [value] } as const;
  const looked = { kind: "step.completed", outcome: "ok", value: {}, requests: 1 } as const;
  const play = (view: LiveView): void => {
    const run = watched(view);
    const records = new Records().opened({ steps }).expanded("pay", ["ann", "bob"]).add({ kind: "step.begun", step: "pay[ann]" });
    const held = { total: 4, shown: [condition, condition] };
    records.written("mint[ann]").add({ ...looked, step: "look[ann]", startedAt: records.at - 950, waitedMs: 900, held });
    records.add({ ...looked, step: "pay[ann]", startedAt: START + 3_000 }).add({ kind: "step.begun", step: "pay[bob]" });
    notify(run, ...records.all, { kind: "step.started", step: "mint[bob]", at: START + 50_000 });
  };
  await expect(await screens(80, play)).toMatchFileSnapshot("screens/rounds.txt");
});

test("after an interrupt, the view says that the run stops, and how to continue it", async () => {
  const play = (view: LiveView): void => {
    const run = watched(view);
    notify(run, ...new Records().opened().written("asset").intended("mint").all);
    view.stopping();
  };
  await expect(await screens(80, play)).toMatchFileSnapshot("screens/stopping.txt");
});

test("in a log, a step that takes long gets a line, and another one each time the duration has doubled", () => {
  let text = "";
  const view = new PlainView({ detail: "full", write: (part) => void (text += part), clock: { now: () => START }, files: [] });
  const run = watched(view);
  notify(run, ...new Records().opened().all);
  text = "";
  const after = (seconds: number): number => START + seconds * 1_000;
  for (let second = 0; second <= 60; second++) {
    notify(run, { kind: "step.waiting", step: "mint", for: "the receipt", untilMs: after(120), at: after(second) });
    notify(run, { kind: "step.reading", step: "owned", pages: second, rows: second * 250, at: after(second) });
  }
  view.stopping();
  expect(text.split("\n")).toEqual([
    "… mint  waiting until 2026-11-21T09:32:00.000Z for the receipt",
    "… owned  page 10 · 2,500 rows",
    "… mint  waiting until 2026-11-21T09:32:00.000Z for the receipt",
    "… owned  page 20 · 5,000 rows",
    "… mint  waiting until 2026-11-21T09:32:00.000Z for the receipt",
    "… owned  page 40 · 10,000 rows",
    "… stopping: no new step starts, and a write on its way gets 10 s for its answer; press Ctrl-C again to end at once",
    "",
  ]);
});
