import { expect, test } from "vitest";
import { type Circumstances, verdictOf } from "../../../src/protocol/settle.ts";
import type { Sight } from "../../../src/services/probe.ts";

const AGAINS = [undefined, "unique", "fence", "value", "never"] as const;
const RESTS = ["record", "readings"] as const;
const flags = [false, true];
const ALL: readonly Circumstances[] = flags.flatMap((additive) =>
  flags.flatMap((alone) =>
    flags.flatMap((final) =>
      flags.flatMap((settled) =>
        (["all", "last", "none"] as const).flatMap((refused) =>
          flags.map((comparable) => ({ additive, alone, final, settled, refused, comparable })),
        ),
      ),
    ),
  ),
);

// Returns every way in which an effect, nothing or something unclear can be seen, under all circumstances, with the verdict.
function each(
  seen: "effect" | "nothing" | "unclear",
): readonly { sight: Sight; again: string; on: Circumstances; verdict: string }[] {
  return AGAINS.flatMap((again) =>
    RESTS.flatMap((rests) => {
      const sight = { seen, rests, ...(again === undefined ? {} : { again }) } as unknown as Sight;
      return ALL.map((on) => ({ sight, again: again ?? "no reason", on, verdict: verdictOf(sight, on) ?? "?" }));
    }),
  );
}

const isHarmless = (again: string, { final, refused }: Circumstances): boolean =>
  refused === "none" && final && !["no reason", "never"].includes(again);

test("an effect proves a write by a record or by comparable readings, but an additive write only if it is alone", () => {
  for (const { sight, again, on, verdict } of each("effect")) {
    const situation = JSON.stringify({ sight, on });
    if (on.additive && !on.alone) expect(verdict, situation).toBe("?");
    else if ((sight as { rests: string }).rests === "record") expect(verdict, situation).toBe("applied");
    else if (on.comparable && (again !== "value" || on.final || on.settled)) expect(verdict, situation).toBe("applied");
    else expect(verdict, situation).toBe(isHarmless(again, on) ? "superseded" : "?");
  }
});

test("a contradiction gives no verdict, whatever the environment declares", () => {
  for (const on of ALL) expect(verdictOf({ seen: "conflict", why: "", rests: "record" }, on)).toBeUndefined();
});

test("an unclear effect never gives applied or absent, and the write is superseded only if a repeat is harmless", () => {
  for (const { again, on, verdict } of each("unclear")) expect(verdict).toBe(isHarmless(again, on) ? "superseded" : "?");
});

test("a write without a visible effect is absent only after the declared time, or if it was refused or is impossible", () => {
  for (const { sight, again, on, verdict } of each("nothing")) {
    const situation = JSON.stringify({ sight, on });
    const isNever = again === "never" && on.final && on.comparable;
    if (on.settled || isNever || (on.refused === "all" && on.comparable)) expect(verdict, situation).toBe("absent");
    else expect(verdict, situation).toBe(isHarmless(again, on) ? "superseded" : "?");
  }
});
