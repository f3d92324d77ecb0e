// npm run crash [-- --kills N] [--seed S] [--jobs N]: kills runs at random moments, on a network that fails, until N processes have died.
// Afterwards the sandbox's log of commits must be the same as after an undisturbed run, or the run must say that it does not know the outcome.
// The seed determines each run, as far as two processes allow. Each violation prints the command that repeats it.
import { randomInt } from "node:crypto";
import { globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../../../src/base/failure.ts";
import { type SandboxTemplate, type Subject, temporaryFolder } from "../../../src/cli/crash/island.ts";
import { removeFolder } from "../../../src/files/folder.ts";
import { CrashTest, type TrialGround, type Undisturbed } from "../../../src/cli/crash/trial.ts";
import { inParallel } from "../../../src/cli/runs/run-queue.ts";
import type { RunningSandbox } from "../../../src/sandbox/sandbox.ts";
import { quietShell, subjectOf } from "../ground.ts";
import { playbookOf, prepareIn, writesOn } from "../writes.ts";
import { Dice } from "../../../src/base/numbers/dice.ts";
import { killAtRandom } from "./disturb.ts";
import { Proxy } from "./proxy.ts";
import { type Result, Tally } from "./tally.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SEEDS = 1_000_000_000;
const PRINT_EVERY = 100;
/** The share of runs that make one write. The rest are runs of longer playbooks. */
const SINGLE_SHARE = 0.7;

const { values: options } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string" }, jobs: { type: "string" } },
});
const wanted = Number(options.kills);
const firstSeed = Number(options.seed ?? randomInt(SEEDS));

const shell = quietShell(process.cwd());
const folder = temporaryFolder(shell.variables);
const proxies = new Map<RunningSandbox, Proxy>();
const tally = new Tally();
try {
  process.exitCode = await killAll();
} finally {
  await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
  removeFolder(folder);
}

/** A playbook that may be picked for a run. */
interface Candidate {
  readonly name: string;
  readonly subject: Subject;
  undisturbed?: Promise<Undisturbed>;
}

async function killAll(): Promise<number> {
  const { origin, prepared } = await prepareIn(folder, shell);
  const single = writesOn(prepared).map((write) => ({ name: write.name, subject: subjectOf(shell, playbookOf(write, folder)) }));
  const longer = ["onboarding", "scenarios"]
    .flatMap((name) => globSync(`${ROOT}playbooks/${name}/*.yaml`))
    .toSorted()
    .map((file) => ({ name: relative(ROOT, file), subject: subjectOf(shell, file) }));
  let seed = firstSeed;
  const workers = Array.from({ length: Number(options.jobs ?? availableParallelism()) }, (_, at) => at);
  await inParallel(workers, workers.length, async () => {
    while (tally.kills < wanted) await tryOne(seed++, { origin, single, longer });
  });
  console.log(`\n${tally.table()}\n\n${tally.line()}`);
  return tally.violations === 0 ? 0 : 1;
}

interface Choice {
  readonly origin: SandboxTemplate;
  readonly single: readonly Candidate[];
  readonly longer: readonly Candidate[];
}

async function tryOne(seed: number, { origin, single, longer }: Choice): Promise<void> {
  const dice = new Dice(seed);
  const candidate = dice.pick(dice.chance(SINGLE_SHARE) ? single : longer);
  const trial = new CrashTest(candidate.subject, groundOf(origin, candidate.name));
  candidate.undisturbed ??= trial.undisturbed("undisturbed");
  const undisturbed = await candidate.undisturbed;
  let kills = 0;
  const judged = await trial.disturbed(String(seed), undisturbed, (island) => {
    const proxy = proxies.get(island.sandbox);
    invariant(proxy, "every island has a proxy");
    return killAtRandom({ trial, undisturbed, island, proxy }, dice, () => kills++);
  });
  print({ ...judged, subject: candidate.name, seed, kills });
}

function groundOf(origin: SandboxTemplate, name: string): TrialGround {
  const own = join(folder, name.replaceAll("/", "-"));
  mkdirSync(own, { recursive: true });
  const via = async (sandbox: RunningSandbox): Promise<RunningSandbox> => {
    const proxy = await Proxy.to(sandbox.ledgerBaseUrl);
    proxies.set(sandbox, proxy);
    return { ...sandbox, ledgerBaseUrl: proxy.url, investorBaseUrl: proxy.url };
  };
  return { shell, origin, via, folder: own, keep: false };
}

function print(result: Result): void {
  const before = tally.kills;
  tally.add(result);
  if (Math.floor(tally.kills / PRINT_EVERY) > Math.floor(before / PRINT_EVERY)) console.log(tally.line());
  if (result.verdict !== "different") return;
  const { subject, seed, kills, differences } = result;
  console.log(`DIFFERENT  ${subject}, killed ${kills} times\n${differences.map((each) => `  · ${each}`).join("\n")}`);
  console.log(`  replay: npm run crash -- --seed ${seed} --kills 1 --jobs 1`);
}
