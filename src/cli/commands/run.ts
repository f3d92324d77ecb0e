import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import type { ExitCode } from "../../base/exit.ts";
import { systemClock, systemRandom } from "../../base/ports.ts";
import { newRunName } from "../../engine/names.ts";
import { startRun } from "../../engine/start.ts";
import { inOrganization } from "../../playbook/inputs.ts";
import { performRuns, type ReportOptions } from "../perform.ts";
import { playbookFiles, type Where } from "../project.ts";
import { compares } from "../../playbook/walk.ts";
import { type InputOptions, readyPlaybooks } from "../ready.ts";
import type { Command } from "../shell.ts";

const MEBIBYTE = 1_024 * 1_024;
/** How large the young generation may grow: for one run, and for many, or for rows. */
const ROOM = { little: 6 * MEBIBYTE, much: 16 * MEBIBYTE } as const;
const WATCH_MS = 10;

interface RunOptions extends Where, ReportOptions, InputOptions {
  readonly jobs: number;
  readonly plan?: string;
}

/** `tokenbook run`: every playbook is checked, and every input resolved, before the first request of any of them. */
export const run: Command<RunOptions> = async (shell, options): Promise<ExitCode> => {
  const files = playbookFiles(shell, options.files);
  const several = files.length > 1;
  if (several) makeRoom(ROOM.much);
  else keepHeapSmall();
  const { ready, secrets } = readyPlaybooks(shell, options, files);
  if (!several) makeRoom(ready.some(({ playbook }) => compares(playbook)) ? ROOM.much : ROOM.little);
  if (options.plan !== undefined)
    await (await import("../planning.ts")).refuseOutdated(shell, { ...options, plan: options.plan }, { ready, secrets });
  return performRuns(
    shell,
    { ...options, secrets },
    ready.map(({ playbook, inputs, env }) => ({
      label: playbook.file,
      steps: playbook.steps.length,
      work: (session, ports) =>
        startRun(
          { playbook, target: session.target, store: session.store, ports },
          { inputs: inOrganization(playbook, inputs, session.target.ledger?.orgId), env },
          newRunName(systemClock.now(), systemRandom),
        ),
    })),
  );
};

// What is made of one playbook mostly stays, and one run makes garbage steadily and keeps little: a young generation that does not grow yet, and
// an old one that is collected when it has grown by half, take little time off it and save two fifths of the memory. Set once all code is
// loaded, for the cached code of modules is bound to the flags it was compiled under.
function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=50");
}

// Many runs, and rows that are compared, are more garbage at a time: what a page leaves behind is not to be taken for what lasts. V8
// reads no other of its limits once it runs than how fast it may grow.
function makeRoom(bytes: number): void {
  setFlagsFromString(`--semi-space-growth-factor=2${bytes === ROOM.much ? " --heap-growing-percent=0" : ""}`);
  const watch = setInterval(() => {
    if (youngBytes() < bytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(watch);
  }, WATCH_MS).unref();
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? Infinity;
}
