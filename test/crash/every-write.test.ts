import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { temporaryFolder } from "../../src/cli/crash/island.ts";
import { removeFolder } from "../../src/files/folder.ts";
import { CrashTest, type Tried } from "../../src/cli/crash/trial.ts";
import { inParallel } from "../../src/cli/runs/run-queue.ts";
import { operations } from "../../src/operations/operation.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import { BINARIES, PostgresServer } from "../postgres/server.ts";
import { quietShell, subjectOf } from "./ground.ts";
import { isNightly } from "../sizes.ts";
import { environmentAt } from "../stories/world.ts";
import { playbookOf, prepareIn, writesOn } from "./writes.ts";

/** Each point at which a run of one write is killed, and whether the run may afterwards not know the outcome of its write. */
const POINTS = {
  "before:attempt.intended": false,
  "after:attempt.intended": true,
  sent: true,
  "before:attempt.answered": true,
  "after:attempt.answered": false,
  "before:step.completed": false,
  "after:step.completed": false,
} as const;
type Point = keyof typeof POINTS;

// A resume finds the same state at each point of a group.
const ALIKE: readonly (readonly Point[])[] = [
  ["after:attempt.intended"],
  ["sent", "before:attempt.answered"],
  ["before:attempt.intended", "after:attempt.answered", "before:step.completed", "after:step.completed"],
];

// By day each write dies at one point, and each point gets several writes in turn. At night each write dies at every point.
function pointsOf(nth: number): readonly Point[] {
  if (isNightly) return ALIKE.flat();
  const alike = ALIKE[nth % ALIKE.length] ?? [];
  return alike.slice(Math.floor(nth / ALIKE.length) % alike.length).slice(0, 1);
}

// One process more than there are cores, because a run that looks for a lost write sleeps most of the time.
const PROCESSES = 3;

interface Cell extends Tried {
  readonly write: string;
  readonly point: Point;
}

async function killEveryWrite(server?: ServerPlace): Promise<readonly Cell[]> {
  const quiet = quietShell(process.cwd());
  const shell = server === undefined ? quiet : { ...quiet, variables: { ...quiet.variables, STATE: server.url.reveal() } };
  const folder = temporaryFolder(shell.variables);
  onTestFinished(() => removeFolder(folder));
  if (server !== undefined)
    writeFileSync(join(folder, "tokenbook.yaml"), `${environmentAt("http://127.0.0.1:9")}state: { postgres: env:STATE }\n`);
  const { origin, prepared } = await prepareIn(folder, shell);
  const writes = writesOn(prepared);
  expect(new Set(writes.map(({ uses }) => uses))).toEqual(
    new Set([...operations.values()].filter(({ writes: isWrite }) => isWrite).map(({ name }) => name)),
  );
  const trials = await inParallel([...writes.entries()], 1, async ([nth, write]) => {
    const ground = { shell, origin, server, folder: join(folder, write.name), keep: false };
    const trial = new CrashTest(subjectOf(shell, playbookOf(write, folder)), ground);
    const undisturbed = await trial.undisturbed("undisturbed");
    expect(undisturbed.outcome, write.name).toBe("passed");
    return pointsOf(nth).map((point) => async (): Promise<Cell> => ({
      ...(await trial.crashAt({ point, step: "write" }, point, undisturbed)),
      write: write.name,
      point,
    }));
  });
  return inParallel(trials.flat(), PROCESSES, (attempt) => attempt());
}

function tableOf(cells: readonly Cell[]): string {
  const rows = [...Map.groupBy(cells, ({ write }) => write)];
  const inOrder = (each: readonly Cell[]): readonly string[] =>
    Object.keys(POINTS).map((point) => {
      const found = each.find((one) => one.point === point);
      return found === undefined ? "" : cell(found);
    });
  const width = Math.max(...rows.map(([write]) => write.length));
  const cell = ({ verdict, setTwice, writes }: Cell): string => {
    if (verdict === "unknown") return `unknown, ${writes.some(({ tookEffect }) => tookEffect) ? "done" : "not done"}`;
    return setTwice > 0 ? `${verdict}, set twice` : verdict;
  };
  return [["", ...Object.keys(POINTS)], ...rows.map(([write, each]) => [write, ...inOrder(each)])]
    .map(([write = "", ...each]) => [write.padEnd(width), ...each.map((text) => text.padEnd(23))].join("  ").trimEnd())
    .join("\n");
}

async function expectSameOrUnknown(server?: ServerPlace): Promise<void> {
  const cells = await killEveryWrite(server);
  const unknown = cells.filter(({ verdict }) => verdict === "unknown").length;
  console.log(`${tableOf(cells)}\n\n${cells.length} kills: ${cells.length - unknown} same, ${unknown} unknown`);
  expect(new Set(cells.map(({ point }) => point)), "each point was tried").toEqual(new Set(Object.keys(POINTS)));
  for (const { write, point, verdict, missed, differences, writes } of cells) {
    expect({ write, point, missed, differences }).toEqual({ write, point, missed: false, differences: [] });
    expect(POINTS[point] ? ["same", "unknown"] : ["same"], `${write} ${point}`).toContain(verdict);
    expect(
      writes.filter(({ tookEffect }) => tookEffect),
      `${write} ${point}: what took effect can be seen`,
    ).toEqual([]);
  }
}

test(
  "for every write killed at every point, the ledger is the same as without the kill, or the run ends as unknown",
  { timeout: LIMITS.crashChildMs },
  () => expectSameOrUnknown(),
);

test.skipIf(!isNightly || BINARIES === undefined)(
  "the same is true with the state on a database server",
  { timeout: 3 * LIMITS.crashChildMs },
  async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.remove());
    await expectSameOrUnknown(server.place());
  },
);
