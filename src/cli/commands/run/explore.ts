import { randomInt } from "node:crypto";
import { join, relative, resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { systemClock } from "../../../base/ports.ts";
import { count } from "../../../base/text/text.ts";
import type { Target } from "../../../environment/target.ts";
import { type Explorations, type ExploredFinding, explore as exploreService } from "../../../explore/explore.ts";
import { breaking, HOW_SURE } from "../../../explore/found-playbook.ts";
import { openService } from "../../../explore/service.ts";
import { writePlaybook } from "../../../files/output.ts";
import { Transport } from "../../../transport/exchange.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import type { Dotenv } from "../../project/state-place.ts";
import { openTarget } from "../../project/open-target.ts";
import { printData } from "../../print/result.ts";
import type { Command, Shell } from "../../shell.ts";

interface ExploreOptions extends Dotenv {
  readonly env?: string;
  readonly seed?: number;
  readonly sequences?: number;
  readonly time?: number;
  readonly output: string;
  readonly json?: boolean;
}

// All names that one command creates begin with a random prefix of its own.
const SEEDS = 1_000_000;
const PREFIX_NUMBERS = 36 ** 6;

/** `tokenbook explore`: looks for calls that the ledger does not answer as the service description says. */
export const explore: Command<ExploreOptions> = async (shell, options) => {
  const stopping = shell.stopping();
  const { seed = randomInt(SEEDS), sequences = LIMITS.exploreSequences, time = LIMITS.exploreMs, output, json } = options;
  await using opened = await openTarget(inProjectHere(shell), options, () => ":memory:");
  await using transport = new Transport();
  const { target } = opened;
  assertMayExplore(target);
  const service = await openService(target, { exchange: transport.exchange.bind(transport), clock: systemClock });
  const say = (text: string): void => shell.stderr.write(text);
  say(`Exploring ${placeOf(target)} with --seed ${seed}: ${count(sequences, "sequence")}, ${formatDuration(time)} at most\n`);
  const found: (ExploredFinding & { readonly file: string })[] = [];
  const onFound = (finding: ExploredFinding): void => {
    const file = write(shell, join(output, `seed-${seed}-sequence-${finding.sequence}.yaml`), finding);
    found.push({ ...finding, file });
    say(findingText(finding, file));
  };
  const prefix = `x${randomInt(PREFIX_NUMBERS).toString(36)}`;
  const begun = systemClock.elapsed();
  const limits = { seed, sequences, timeMs: time, findings: LIMITS.exploreFindings };
  const done = await exploreService(
    { ...service, isOwn: target.embedded },
    { ...limits, prefix, clock: systemClock, stopping, onFound },
  );
  const { requests, lost, unread, left } = done;
  const isNothing = done.sequences === 0 && lost === 0 && found.length === 0;
  if (isNothing && !stopping.aborted) throw nothingExplored(time, done);
  if (done.refusal !== undefined && found.length === 0) throw noWrite(done, target);
  const isLost = lost >= LIMITS.exploreLost || (lost > 0 && lost === done.sequences);
  if (json === true) printData(shell, { seed, sequences: done.sequences, requests, lost, unread, left, findings: found });
  else shell.stdout.write(summaryText(done, { ms: systemClock.elapsed() - begun, isLost }));
  if (isLost) throw tooManyLost(done, target);
  return exitOf(done, stopping);
};

function assertMayExplore(target: Target): void {
  if (target.protected) {
    throw new Failure({
      code: "explore.protected",
      message: `the environment "${target.environment}" is protected: true, and explore makes writes that nobody has planned`,
      why: "nothing was sent, and no option allows it",
      next: "name a test environment with --env, or --env sandbox",
    });
  }
}

function tooManyLost({ lost, lastLoss = "" }: Explorations, { environment }: Target): Failure {
  return new Failure({
    code: "explore.lost",
    message: `${count(lost, "sequence")} ended because an answer was lost, the last one because: ${lastLoss}`,
    why: "a lost answer shows nothing about the service, and a write is never sent again",
    next: command`doctor --env ${environment}`,
    exit: EXIT.failed,
  });
}

function noWrite({ sequences, refusal = "" }: Explorations, { environment }: Target): Failure {
  return new Failure({
    code: "explore.no-write",
    message: `the service refused every write of ${count(sequences, "sequence")}, the last one because: ${refusal}`,
    why: "nothing was explored, because a sequence ends at the first such refusal",
    next: ["give its key the right to write, or look at what the environment lacks:", command`doctor --env ${environment}`],
    exit: EXIT.failed,
  });
}

function nothingExplored(timeMs: number, { requests }: Explorations): Failure {
  const late = requests === 0 ? "before the first call" : `after ${count(requests, "request")}, before a sequence was complete`;
  return new Failure({
    code: "explore.nothing",
    message: `nothing was explored: ${formatDuration(timeMs)} was over ${late}`,
    next: "give it more time with --time, such as --time 2m",
  });
}

function placeOf({ embedded, environment }: Target): string {
  return embedded ? `${environment} (embedded sandbox, no real service)` : environment;
}

function write(shell: Shell, name: string, { playbook }: ExploredFinding): string {
  const path = resolve(shell.cwd, name);
  try {
    writePlaybook(path, playbook);
  } catch (error) {
    throw new Failure({
      code: "explore.cannot-write",
      message: `the playbook ${name} cannot be written: ${messageOf(error)}`,
      next: "name another folder with --output",
    });
  }
  return relative(shell.cwd, path);
}

function findingText(finding: ExploredFinding, file: string): string {
  const { what, sentence, steps, repeated } = finding;
  const sure = HOW_SURE[repeated];
  const shows = repeated === "again" ? (steps === 1 ? "shows it" : "show it") : "in its sequence";
  return [
    `✗ ${what}`,
    `    ${breaking(finding, repeated)}: ${sentence}`,
    ...(sure === "" ? [] : [`    ${sure}`]),
    `    ${count(steps, "step")} ${shows}: tokenbook run ${file}`,
    "",
  ].join("\n");
}

function summaryText(
  { sequences, requests, findings, lost, unread, left }: Explorations,
  { ms, isLost }: { readonly ms: number; readonly isLost: boolean },
): string {
  const done = `${count(sequences, "sequence")}, ${count(requests, "request")}, ${formatDuration(Math.round(ms))}`;
  const without = [
    ...(lost === 0 ? [] : [`; ${count(lost, "sequence")} ended with a lost answer`]),
    ...(unread.length === 0 ? [] : [`; not compared, because of more than ${LIMITS.explorePages} pages: ${unread.join(", ")}`]),
    ...(left === 0 ? [] : [`; ${count(left, "asset")} may stay in the service, because the answer to the removal was lost`]),
  ].join("");
  if (findings.length === 0) return `${isLost ? "✗ nothing can be said" : "✓ nothing found"}: ${done}${without}\n`;
  return `✗ ${count(findings.length, "finding")}: ${done}${without}\n`;
}

function exitOf({ findings }: Explorations, stopping: AbortSignal): ExitCode {
  if (findings.length > 0) return EXIT.failed;
  return stopping.aborted ? EXIT.interrupted : EXIT.passed;
}
