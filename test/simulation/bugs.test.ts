import { describe, expect, test } from "vitest";
import { PLANTED_BUGS } from "../../simulation/bugs.ts";
import { hunt } from "../../simulation/hunt.ts";

const PATIENCE_MS = 1_800_000;

describe("the simulation finds a planted bug", () => {
  test.each(PLANTED_BUGS)("$name", { timeout: PATIENCE_MS }, async (bug) => {
    const seed = await hunt(bug);
    const stale = seed === bug.shownBy ? "" : ` (its shownBy in simulation/bugs.ts is stale)`;
    process.stdout.write(`${bug.name}: ${bug.breaks}, found at seed ${seed ?? "none"}${stale}\n`);
    expect(seed).toBeDefined();
  });

  test("no two planted bugs have the same name", () => {
    expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  });
});
