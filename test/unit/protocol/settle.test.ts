import { expect, test } from "vitest";
import { type Circumstances, type Seen, verdictOf } from "../../../src/protocol/settle.ts";

const SIGHTS: readonly Seen[] = [
  { seen: "effect" },
  { seen: "nothing" },
  { seen: "nothing", again: "unique" },
  { seen: "nothing", again: "fence" },
  { seen: "nothing", again: "value" },
  { seen: "nothing", again: "never" },
  { seen: "conflict" },
  { seen: "unclear" },
];

const flags = [false, true];
const ALL: readonly Circumstances[] = flags.flatMap((additive) =>
  flags.flatMap((alone) => flags.flatMap((final) => flags.map((settled) => ({ additive, alone, final, settled })))),
);

// One letter a circumstance, large when it is so; of those that give the same verdict, none is shown twice.
function tableOf(sight: Seen): Record<string, string> {
  return Object.fromEntries(
    ALL.map((each) => {
      const name = Object.entries(each).map(([key, is]) => (is ? key : "-"));
      return [name.join(" "), verdictOf(sight, each) ?? "?"];
    }),
  );
}

function verdictsOf(sight: Seen): Set<string> {
  return new Set(Object.values(tableOf(sight)));
}

test("what is seen decides, but what adds only for one that is alone", () => {
  for (const [circumstances, verdict] of Object.entries(tableOf({ seen: "effect" }))) {
    const isOthers = circumstances.startsWith("additive -");
    expect(verdict, circumstances).toBe(isOthers ? "?" : "applied");
  }
});

test("what is unclear, or contradicts, decides nothing, whatever was declared", () => {
  expect(verdictsOf({ seen: "conflict" })).toEqual(new Set(["?"]));
  expect(verdictsOf({ seen: "unclear" })).toEqual(new Set(["?"]));
});

test("to see nothing decides only with a reason why one more does no harm, and when nothing follows; or once the declared time is over", () => {
  for (const sight of SIGHTS.filter(({ seen }) => seen === "nothing")) {
    for (const [circumstances, verdict] of Object.entries(tableOf(sight))) {
      const told = `${sight.again ?? "no reason"}: ${circumstances}`;
      if (circumstances.includes("settled")) expect(verdict, told).toBe("absent");
      else if (sight.again === undefined || !circumstances.includes("final")) expect(verdict, told).toBe("?");
      else expect(verdict, told).toBe(sight.again === "never" ? "absent" : "superseded");
    }
  }
});
