import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

// Each test file adds a line to the file that TEST_COST names: the CPU seconds of its process and of the child processes.
const costs = process.env["TEST_COST"];
const TICKS_A_SECOND = 100;

if (costs !== undefined) {
  const [own, started] = spent();
  afterAll(() => {
    const [ownNow, startedNow] = spent();
    const line = [ownNow - own, startedNow - started, expect.getState().testPath].join("\t");
    appendFileSync(costs, `${line}\n`);
  });
}

// The process name may hold spaces and parentheses, so we count the numbers behind it: the 12th and 13th are the process's own times, the next
// two those of its children.
function spent(): readonly [number, number] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const [user = 0, system = 0, startedUser = 0, startedSystem = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_A_SECOND);
  return [user + system, startedUser + startedSystem];
}
