import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readCases } from "../../../conformance/case.ts";
import { cellOf } from "../../../conformance/cell.ts";
import { runCase } from "../../../conformance/run.ts";
import { runWithTokenbook } from "../../../conformance/tokenbook.ts";

const REGISTER = readFileSync(fileURLToPath(new URL("../../../conformance/REGISTER.md", import.meta.url)), "utf8");
const CASES = readCases();

test.for(CASES.map(({ id }) => id))("tokenbook runs the case %s as the register shows", async (id) => {
  const one = CASES.find((each) => each.id === id);
  if (one === undefined) throw new Error(id);
  const row = REGISTER.split("\n").find((line) => line.startsWith(`| ${id} |`)) ?? "";
  const cells = row.split(/(?<!\\) \| /);
  expect(cells.at(-2)).toBe(cellOf(one, await runCase(one, runWithTokenbook)).replaceAll("|", String.raw`\|`));
});

test("there are at least 25 cases, each with its own name", () => {
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThanOrEqual(25);
});
