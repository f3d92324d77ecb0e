// `npm run calibrate:campaign [-- --combinations 200] [--combined-only] [--seed N] [--jobs N] [--setting TEXT] [--part K/N]`.
// Calibrates services that differ in one setting, by reading only and by writing, and random combinations. No finding may be wrong.
import { count } from "../../src/base/text/text.ts";
import { calibrated, isPossible, isRight, type Speaking, USUAL, varied, VARIATIONS } from "./services.ts";

const text = (name: string, usual: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? usual : (process.argv[at + 1] ?? usual);
};
const flag = (name: string, usual: number): number => Number(text(name, String(usual)));
const combinations = flag("combinations", 200);
let seed = flag("seed", 1);
const atOnce = flag("jobs", 2);

// A small random generator, so that a seed always makes the same services.
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 4_294_967_296) * below);
}

interface Service {
  readonly name: string;
  readonly speaking: Speaking;
  readonly mayWrite: boolean;
}

function alone(): readonly Service[] {
  return VARIATIONS.flatMap(({ path, values }) =>
    values.flatMap((value) => {
      const speaking = varied(USUAL, path, value);
      const name = `${path.join(".")} = ${JSON.stringify(value)}`;
      return [false, true].map((mayWrite) => ({ name, speaking, mayWrite }));
    }),
  );
}

function combined(nth: number): Service {
  for (;;) {
    let speaking = USUAL;
    const names: string[] = [];
    for (const { path, values } of VARIATIONS) {
      if (random(3) > 0) continue;
      const value = values[random(values.length)];
      speaking = varied(speaking, path, value);
      names.push(`${path.join(".")}=${JSON.stringify(value)}`);
    }
    if (isPossible(speaking)) return { name: `combination ${nth}: ${names.join(" ")}`, speaking, mayWrite: true };
  }
}

interface Counts {
  found: number;
  wrong: number;
  undecided: number;
}

const total: Record<"reading, one setting" | "writing, one setting" | "combinations", Counts> = {
  "reading, one setting": { found: 0, wrong: 0, undecided: 0 },
  "writing, one setting": { found: 0, wrong: 0, undecided: 0 },
  combinations: { found: 0, wrong: 0, undecided: 0 },
};
const bySetting = new Map<string, Counts>();

async function tally({ name, speaking, mayWrite }: Service): Promise<void> {
  const kind = name.startsWith("combination") ? "combinations" : mayWrite ? "writing, one setting" : "reading, one setting";
  const { findings } = await calibrated(speaking, mayWrite);
  for (const finding of findings) {
    const setting = finding.setting.join(".");
    const counts = bySetting.get(setting) ?? { found: 0, wrong: 0, undecided: 0 };
    bySetting.set(setting, counts);
    const word = finding.strength === "undecided" ? "undecided" : isRight(finding, speaking) ? "found" : "wrong";
    counts[word] += 1;
    total[kind][word] += 1;
    if (word === "wrong")
      console.log(
        `WRONG ${setting}: ${JSON.stringify(finding.found)}\n  in ${name}\n  ${finding.why}\n  ${JSON.stringify(finding.evidence)}`,
      );
  }
}

const all = [
  ...(process.argv.includes("--combined-only") ? [] : alone()),
  ...Array.from({ length: combinations }, (_, nth) => combined(nth)),
];
const [part = 1, parts = 1] = text("part", "1/1").split("/").map(Number);
// The reading and the writing calibration of a service are next to each other, and both belong to the same part.
const services = all.filter(({ name }, at) => name.includes(text("setting", "")) && Math.floor(at / 2) % parts === part - 1);
console.log(count(services.length, "service"));
const queue = services.values();
let failures = 0;
const work = async (): Promise<void> => {
  for (const service of queue) {
    try {
      await tally(service);
    } catch (error) {
      failures += 1;
      console.log(`FAILED ${service.name}: ${String(error)}`);
    }
  }
};
await Promise.all(Array.from({ length: atOnce }, work));
console.table(Object.fromEntries([...bySetting].toSorted(([one], [other]) => one.localeCompare(other))));
console.table(total);
const wrong = Object.values(total).reduce((sum, each) => sum + each.wrong, 0);
console.log(`${wrong} wrong, ${count(failures, "calibration")} without a result`);
process.exitCode = wrong === 0 && failures === 0 ? 0 : 1;
