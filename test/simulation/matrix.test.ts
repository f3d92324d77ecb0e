import { expect, test } from "vitest";
import { runMatrix, showMatrix } from "../../simulation/matrix.ts";

const PATIENCE_MS = 1_800_000;

test(
  "no record's failure, with no fault and in no kind of write, breaks a promise",
  async () => {
    const cells = await runMatrix();
    process.stdout.write(showMatrix(cells));
    expect(cells.flatMap(({ violations }) => violations)).toEqual([]);
    expect(cells.filter(({ feasible }) => feasible > 0).length).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
