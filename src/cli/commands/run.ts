import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import type { ExitCode } from "../../base/exit.ts";
import { systemClock, systemRandom } from "../../base/ports.ts";
import { newRunName } from "../../engine/names.ts";
import { startRun } from "../../engine/start.ts";
import { inOrganization } from "../../playbook/inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { type Job, performRuns, type ReportOptions } from "../perform.ts";
import { inProjectOf } from "../chosen-project.ts";
import { folderInProject, loadPlaybooks, playbookFiles, type Where } from "../project.ts";
import { compares } from "../../playbook/walk.ts";
import { type InputOptions, preparePlaybooks, type ReadyPlaybook } from "../ready.ts";
import type { Command } from "../shell.ts";

/** How large the young generation may grow. */
const ROOM_BYTES = 16 * 1_024 * 1_024;
const WATCH_MS = 10;

interface RunOptions extends Where, ReportOptions, InputOptions {
  readonly jobs: number;
  readonly plan?: string;
}

/** `tokenbook run`: every playbook is checked, and every input resolved, before the first request of any of them. */
export const run: Command<RunOptions> = async (plainShell, options): Promise<ExitCode> => {
  const named = playbookFiles(plainShell, options.files);
  const { files } = named;
  let playbooks: readonly Job["playbook"][] = files.map((file) => ({ name: file, file }));
  const several = files.length > 1;
  return performRuns(plainShell, options, {
    playbooks: () => playbooks,
    async prepare() {
      if (several) makeRoom();
      else keepHeapSmall();
      const shell = inProjectOf(plainShell, files, options);
      const checked = loadPlaybooks(shell, files, { tags: options.tags });
      playbooks = checked.map(headed);
      const { ready, secrets, skipped } = preparePlaybooks(shell, options, checked, { named });
      if (!several) makeRoom();
      if (checked.some(compares)) letHeapGrow();
      if (options.plan !== undefined)
        await (
          await import("../planning.ts")
        ).refuseOutdated(shell, { ...options, plan: options.plan }, { ready, secrets, skipped });
      return { shell, secrets, skipped, jobs: ready.map((each) => jobOf(each, folderInProject(shell))) };
    },
  });
};

function headed({ name, file }: Playbook): Job["playbook"] {
  return { name, file };
}

function jobOf({ playbook, inputs, env }: ReadyPlaybook, folder: string | undefined): Job {
  return {
    playbook: headed(playbook),
    steps: playbook.steps.length,
    work: (session, ports) =>
      startRun(
        { playbook, target: session.target, store: session.store, ports, folder },
        { inputs: inOrganization(playbook, inputs, session.target.ledger?.orgId), env },
        newRunName(systemClock.now(), systemRandom),
      ),
  };
}

// What is made of one playbook mostly stays, and one run keeps little: a young generation that does not grow yet, and an old one that is
// collected when it has grown by half, take little time off it and save two fifths of the memory. Set once all code is loaded, for the
// cached code of modules is bound to the flags it was compiled under.
function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=50");
}

// Steps make garbage: what one leaves behind is not to be taken for what lasts. V8 reads no other of its limits once it runs than how fast
// it may grow.
function makeRoom(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  const watch = setInterval(() => {
    if (youngBytes() < ROOM_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(watch);
  }, WATCH_MS).unref();
}

// The rows of two lists are held until they are compared.
function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=0");
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? Infinity;
}
