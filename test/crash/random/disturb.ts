import type { Island } from "../../../src/cli/crash/island.ts";
import type { CrashTest, Disturbed, Undisturbed } from "../../../src/cli/crash/trial.ts";
import type { Dice } from "../../../src/base/numbers/dice.ts";
import { FAULTS, type Proxy, type Weather } from "./proxy.ts";

const MOST_KILLS = 3;
const FAULT_SHARE = 0.2;
const LATEST_MS = 30;
/** A process is killed after this time in any case. */
const LONGEST_MS = 2_000;

/** A run, and the parts between it and its sandbox. */
interface Scene {
  readonly trial: CrashTest;
  readonly undisturbed: Undisturbed;
  readonly island: Island;
  readonly proxy: Proxy;
}

/** Kills a run and the processes that resume it up to three times, each at a random moment, and disturbs its connections. */
export async function killAtRandom(scene: Scene, dice: Dice, onKilled: () => void): Promise<Disturbed> {
  for (let left = 1 + dice.below(MOST_KILLS); left > 0; left--) {
    const ended = await killOnce(scene, dice);
    if (ended !== "killed") break;
    onKilled();
  }
  scene.proxy.weather = undefined;
  return {};
}

async function killOnce({ trial, undisturbed, island, proxy }: Scene, dice: Dice): Promise<"killed" | "ended"> {
  const { boundaries } = undisturbed;
  const kill = new AbortController();
  const byName = dice.chance(0.4);
  let left = byName ? Infinity : 1 + dice.below(2 * boundaries.length);
  const pauseMs = dice.below(4);
  const onPass = (): void => {
    left--;
    // Kill at once, or a little later, so that the kill can fall between one piece of data and the next.
    if (left === 0) setTimeout(() => kill.abort(), pauseMs);
  };
  proxy.weather = { onPass, fault: () => weatherOf(dice) };
  const tooLong = setTimeout(() => kill.abort(), LONGEST_MS);
  try {
    const failpoint = byName ? { failpoint: dice.pick(boundaries).point } : {};
    const { signal } = await trial.child(island, { kill: kill.signal, ...failpoint });
    return signal === "SIGKILL" ? "killed" : "ended";
  } finally {
    clearTimeout(tooLong);
  }
}

function weatherOf(dice: Dice): ReturnType<Weather["fault"]> {
  if (!dice.chance(FAULT_SHARE)) return { fault: "none", lateMs: 0, reset: false };
  return { fault: dice.pick(FAULTS), lateMs: dice.below(LATEST_MS), reset: dice.chance(0.5) };
}
