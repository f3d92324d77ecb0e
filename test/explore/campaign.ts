import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlantedBug, PLANTED_BUGS } from "./bugs.ts";
import { brokenSandbox, exploreSandbox } from "./hunt.ts";
import { runPlaybook } from "./run-playbook.ts";

// `npm run explore:bugs [-- NAMES]` looks for every planted bug, or for those named. It prints the steps and the seconds that each bug took.
// It also runs each playbook on the broken service, where it must fail, and on a good service, where it must pass.

// Counted in seconds of CPU, so that a busy machine finds as much as an idle one.
const MOST_CPU_SECONDS = 120;
const MOST_MS = 1_800_000;
const MOST_STEPS = 6;

async function hunt(name: string, { flaw, breaks }: PlantedBug, folder: string): Promise<boolean> {
  const begun = { at: performance.now(), cpu: process.cpuUsage() };
  const broken = await brokenSandbox(flaw);
  const good = await brokenSandbox();
  try {
    const { findings, sequences } = await exploreSandbox(broken, { timeMs: MOST_MS });
    const [finding] = findings;
    const seconds = ((performance.now() - begun.at) / 1_000).toFixed(1);
    const { user, system } = process.cpuUsage(begun.cpu);
    const cpuSeconds = (user + system) / 1_000_000;
    const cpu = cpuSeconds.toFixed(1);
    if (finding === undefined) {
      process.stdout.write(`✗ ${name}: not found in ${sequences} sequences, ${seconds} s (${cpu} s of CPU): ${breaks}\n`);
      return false;
    }
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, finding.playbook);
    const [onBroken, onGood] = [await runPlaybook(file, broken), await runPlaybook(file, good)];
    const shows = onBroken.code !== 0 && onBroken.code !== 2 && onGood.code === 0;
    const isShort = finding.steps <= MOST_STEPS && finding.isRepeatable && cpuSeconds <= MOST_CPU_SECONDS;
    const mark = shows && isShort ? "✓" : "✗";
    process.stdout.write(
      `${mark} ${name}: ${finding.steps} steps, ${seconds} s (${cpu} s of CPU), ${sequences} sequences: ${finding.what}\n`,
    );
    if (!shows)
      process.stdout.write(`${finding.playbook}\non the broken service:\n${onBroken.output}\non a good one:\n${onGood.output}\n`);
    return shows && isShort;
  } finally {
    await Promise.all([broken.close(), good.close()]);
  }
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "explored-bugs-"));
let missed = 0;
for (const [name, bug] of Object.entries(PLANTED_BUGS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (!(await hunt(name, bug, folder))) missed++;
}
rmSync(folder, { recursive: true });
process.stdout.write(missed === 0 ? "✓ every planted bug is found\n" : `✗ ${missed} planted bugs are missed\n`);
process.exitCode = missed === 0 ? 0 : 1;
