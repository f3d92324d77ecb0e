import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { command, type CommandLine } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { systemClock, systemRandom } from "../../../base/ports.ts";
import { present } from "../../../base/present.ts";
import { DEFAULT_PROFILE } from "../../../contract/profile.ts";
import { newRunName } from "../../../engine/run/run-names.ts";
import { makeFolder, removeFolder } from "../../../files/folder.ts";
import { FOLDER_MODE } from "../../../files/private.ts";
import type { CrashReport } from "../../../report/crash/shape.ts";
import { crashJson, crashLines } from "../../../report/crash/text.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import { readSeed } from "../../../sandbox/sandbox.ts";
import { crashEverywhere, type Testing, UNDISTURBED } from "../../crash/everywhere.ts";
import { fillOrigin, temporaryFolder } from "../../crash/island.ts";
import { serverOf, TEST_ON_SERVER } from "../../project/state-server.ts";
import type { TrialGround } from "../../crash/trial.ts";
import { inProjectOf, type ProjectShell } from "../../project/chosen-project.ts";
import { maskedShell } from "../../print/masked.ts";
import { playbookFiles } from "../../project/load-playbooks.ts";
import { profileOf } from "../../project/open-target.ts";
import { readMapFile } from "../../project/read-file.ts";
import { withSandboxFiles } from "../../sandbox-files.ts";
import { type InputOptions, readyPlaybooks } from "../../runs/prepare-playbooks.ts";
import type { Command, Shell } from "../../shell.ts";
import { canShowTree } from "../../view/choose.ts";

interface TestOptions extends InputOptions {
  readonly crashEverywhere?: boolean;
  readonly seed?: string;
  readonly profile?: string;
  readonly at?: string;
  readonly keep?: string;
  readonly onServer?: boolean;
  readonly jobs?: number;
  readonly json?: boolean;
}

/** `tokenbook test --crash-everywhere`: kills runs at each of their boundaries, resumes them, and compares the ledgers. */
export const test: Command<TestOptions> = async (anyShell, options) => {
  if (options.crashEverywhere !== true) throw noTest();
  const files = playbookFiles(anyShell, options.files);
  const plainShell = inProjectOf(anyShell, files.files);
  const { ready, secrets } = readyPlaybooks(plainShell, options, files);
  const shell = maskedShell(plainShell, secrets.redact);
  const stopping = shell.stopping();
  const ground = await groundOf(plainShell, options);
  const progress = new TestProgress(shell);
  const reports: CrashReport[] = [];
  try {
    for (const [at, each] of ready.entries()) {
      const folder = ready.length === 1 ? ground.folder : join(ground.folder, `playbook-${at + 1}`);
      const subject = { ...each, secrets, name: newRunName(systemClock.now(), systemRandom) };
      const report = await crashEverywhere(
        subject,
        { ...ground, folder },
        testingOf(each.playbook.file, { ...options, folder }, progress),
      );
      progress.clear();
      if (stopping.aborted && report.totals.tried === 0) break;
      reports.push(report);
      if (options.json !== true) shell.stdout.write(`${crashLines(report).join("\n")}\n\n`);
    }
  } finally {
    if (options.keep === undefined) removeFolder(ground.folder);
  }
  if (options.json === true) shell.stdout.write(crashJson(reports), "json");
  return stopping.aborted ? EXIT.interrupted : exitOf(reports);
};

function noTest(): Failure {
  return new Failure({
    code: "test.none-chosen",
    message: "name the test: --crash-everywhere",
    next: command`test --crash-everywhere PLAYBOOK`,
  });
}

async function groundOf(shell: ProjectShell, options: TestOptions): Promise<TrialGround> {
  const { keep, seed, profile, dotenv } = options;
  const server = options.onServer === true ? serverOf(shell, options, TEST_ON_SERVER) : undefined;
  const folder = madeFolder(shell, keep);
  try {
    const origin = await withSandboxFiles(shell, { "the seed": seed }, async () =>
      fillOrigin(folder, {
        seed: seed === undefined ? undefined : readSeed(readMapFile(shell, seed)),
        profile: profile === undefined ? DEFAULT_PROFILE : profileOf(shell, profile),
      }),
    );
    return { shell, origin, folder, keep: keep !== undefined, server, ...present({ dotenv }) };
  } catch (error) {
    if (keep === undefined) removeFolder(folder);
    throw error;
  }
}

function madeFolder(shell: Shell, keep: string | undefined): string {
  try {
    return keep === undefined ? temporaryFolder(shell.variables) : emptyFolder(shell, keep);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "file.unwritable",
      message: `${keep === undefined ? "a temporary folder" : `the folder ${keep}`} cannot be made: ${messageOf(error)}`,
      next:
        keep === undefined
          ? "set TMPDIR to a folder in which you may write"
          : "--keep a new folder, in one in which you may write",
    });
  }
}

// State directories of an earlier test would be mistaken for those of this test.
function emptyFolder(shell: Shell, name: string): string {
  const folder = resolve(shell.cwd, name);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Failure({
      code: "test.folder-not-empty",
      message: `the folder ${name} is not empty, and the test would keep its files there`,
      next: "name a new one",
    });
  }
  makeFolder(folder, FOLDER_MODE);
  return folder;
}

function testingOf(file: string, options: TestOptions & { readonly folder: string }, progress: TestProgress): Testing {
  const { input, inputs, seed, profile, dotenv, jobs = availableParallelism(), at, keep, folder, onServer } = options;
  const given = [
    ...Object.entries(input).flatMap(([name, value]) => ["--input", `${name}=${value}`]),
    ...(dotenv === false ? ["--no-dotenv"] : []),
    ...Object.entries({ inputs, seed, profile, ...(dotenv === false ? {} : { dotenv }) }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    ),
  ];
  const words = ["--crash-everywhere", file, ...given];
  const kept = onServer === true ? ["--on-server"] : ["--keep", "crashed"];
  return {
    jobs,
    at,
    replay: (point) => command`test ${[...words, "--at", point, ...kept]}`.text,
    look:
      keep === undefined
        ? [command`test ${[...words, "--keep", "crashed"]}`, "and see where it stopped:", looking("crashed")]
        : looking(folder),
    onTried: (tried, of) => progress.show(`${file}: ${tried} of ${of} boundaries`),
  };
}

function looking(folder: string): CommandLine {
  return command`runs show latest --state ${join(folder, UNDISTURBED)}`;
}

function exitOf(reports: readonly CrashReport[]): ExitCode {
  if (reports.some(({ totals }) => totals.different > 0)) return EXIT.failed;
  return reports.some(({ problem }) => problem !== null) ? EXIT.cannotStart : EXIT.passed;
}

const CLEAR_LINE = "\r\u001b[K";

/** Shows the progress of a test on one line of a terminal, and nothing elsewhere. */
class TestProgress {
  readonly #shell: Shell;
  #isShown = false;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  show(text: string): void {
    const { stderr: screen, variables } = this.#shell;
    if (!canShowTree({ screen, variables, runs: 1, steps: 1 })) return;
    this.#isShown = true;
    screen.write(`${CLEAR_LINE}${oneLine(text, screen.columns - 1)}`, "exact");
  }

  clear(): void {
    if (this.#isShown) this.#shell.stderr.write(CLEAR_LINE, "exact");
    this.#isShown = false;
  }
}
