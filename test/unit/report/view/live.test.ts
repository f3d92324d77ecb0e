import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { painted } from "../../../../src/cli/view/colour.ts";
import { LiveView } from "../../../../src/cli/view/live-view.ts";
import { reportLines } from "../../../../src/report/text.ts";
import { reportOf } from "../../../../src/report/model.ts";
import { dangersOf, HOSTILE, hostileRun } from "../hostile.ts";
import { Records, RUNS, START, STEPS } from "../records.ts";
import { watched } from "./watched.ts";
import { FakeScreen } from "./screen.ts";

const ESCAPE = "\u001b";
const COLOUR = /^\[[\d;]*m/;
/** The sequences that the view may write: they move the cursor, erase, hide or show the cursor, and draw a frame at once. */
const OURS = /^\[(?:\?25[hl]|\?2026[hl]|\d*[ABGK])/;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

async function watch(screen: FakeScreen, records: Records, colour = false): Promise<LiveView> {
  const view = new LiveView({
    detail: "full",
    screen,
    clock: { now: () => START + 60_000 },
    colour,
    print: (text) => screen.write(colour ? painted(text) : text),
    onCrash: (error) => expect.unreachable(String(error)),
  });
  const observer = watched(view);
  for (const record of records.all) observer.event(record);
  await expect.poll(() => vi.getTimerCount(), { interval: 1 }).toBe(1);
  await vi.advanceTimersByTimeAsync(300);
  return view;
}

test.each([40, 80, 120])("at %i columns each line fits, and the tree shows what is in progress", async (columns) => {
  const screen = new FakeScreen(columns);
  const records = new Records().opened().written("asset").expanded("approvals", ["bob", "dora"]).intended("mint");
  const view = await watch(screen, records);
  expect(screen.lines.map((line) => line.trim().slice(0, 6))).toEqual([
    expect.stringMatching(/^. Onbo/),
    "✓ asse",
    expect.stringMatching(/^. mint/),
    "· appr",
    "· appr",
    "· appr",
    "· owne",
  ]);
  for (const line of screen.lines) expect(line.length).toBeLessThanOrEqual(columns);
  expect(screen.isCursorShown).toBe(false);
  await view.end();
});

test("at the end of a run, plain lines replace the tree, whatever the outcome", async () => {
  for (const records of Object.values(RUNS)) {
    const screen = new FakeScreen(80);
    const view = await watch(screen, records());
    await view.end();
    expect(screen.lines).toEqual(reportLines(reportOf(records().all), "full"));
    expect(screen.isCursorShown).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  }
});

test("the view ends cleanly even if it drew nothing", async () => {
  const screen = new FakeScreen(80);
  const view = new LiveView({
    detail: "full",
    screen,
    clock: { now: () => START },
    colour: true,
    print: (text) => screen.write(text),
    onCrash: (error) => expect.unreachable(String(error)),
  });
  watched(view);
  await view.end();
  expect(screen.lines).toEqual([]);
  expect(screen.isCursorShown).toBe(true);
});

test("the tree of a long run never needs more than one screen", async () => {
  const steps = Array.from({ length: 150 }, (_, at) => ({ ...(STEPS[0] ?? { name: "", uses: "", line: 1 }), id: `s${at}` }));
  const screen = new FakeScreen(80, 20);
  const records = new Records().opened({ steps });
  const view = await watch(screen, records);
  const observer = watched(view);
  for (const { id } of steps.slice(0, 100)) records.written(id);
  for (const record of records.all) observer.event(record);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(screen.tallest).toBeLessThanOrEqual(20);
  await view.end();
});

test("the text is the same with and without colour", async () => {
  const [plain, coloured] = [new FakeScreen(80), new FakeScreen(80)];
  const views = [await watch(plain, new Records().opened().written("asset"))];
  await views[0]?.end();
  views.push(await watch(coloured, new Records().opened().written("asset"), true));
  await views[1]?.end();
  expect(plain.raw.split(ESCAPE).filter((part) => COLOUR.test(part))).toEqual([]);
  expect(coloured.raw).toContain(`${ESCAPE}[32m✓${ESCAPE}[39m asset`);
  expect(coloured.lines).toEqual(plain.lines);
});

test("with hostile texts, the view writes only sequences that move, erase and colour", async () => {
  for (const text of HOSTILE) {
    const screen = new FakeScreen(80);
    const view = await watch(screen, hostileRun(text));
    await view.end();
    const [first = "", ...sequences] = screen.raw.split(ESCAPE);
    expect(sequences.filter((part) => !OURS.test(part))).toEqual([]);
    expect(dangersOf([first, ...sequences].join(""))).toEqual([]);
  }
});

test("a screen that cannot be written stops the view, and not the run", async () => {
  const onCrash = vi.fn<(error: unknown) => void>();
  const written: string[] = [];
  let isBroken = false;
  const screen = {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (text: string) => void (isBroken ? JSON.parse("{") : written.push(text)),
  };
  const view = new LiveView({ detail: "full", screen, clock: { now: () => START }, colour: false, print: screen.write, onCrash });
  const observer = watched(view);
  for (const record of new Records().opened().all) observer.event(record);
  await expect.poll(() => vi.getTimerCount(), { interval: 1 }).toBe(1);
  isBroken = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onCrash).toHaveBeenCalledTimes(1);
  isBroken = false;
  observer.event({ kind: "step.started", step: "asset", at: START });
  await view.end();
  expect(written.at(-1)).toContain("▶ Onboard a property");
});

test("the view listens to no signal and ends no process", async () => {
  const before = ["SIGINT", "SIGTERM", "exit"].map((name) => process.listenerCount(name));
  const view = await watch(new FakeScreen(80), new Records().opened());
  expect(["SIGINT", "SIGTERM", "exit"].map((name) => process.listenerCount(name))).toEqual(before);
  await view.end();
});
