import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

// Each file of tests adds a line to the file that TEST_COST names: the CPU seconds of the process, and of those that it started.
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

// The numbers behind the process's name, which may hold spaces and parentheses: the 12th and 13th are its own, the next two its children's.
function spent(): readonly [number, number] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const [user = 0, system = 0, startedUser = 0, startedSystem = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_A_SECOND);
  return [user + system, startedUser + startedSystem];
}
