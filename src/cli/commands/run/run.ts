import { getHeapSpaceStatistics } from "node:v8";
import type { ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import type { JsonObject } from "../../../base/json/json.ts";
import { systemClock, systemRandom } from "../../../base/ports.ts";
import { setV8Flags } from "../../../base/v8-flags.ts";
import { type Keyed, runWithKey } from "../../../engine/run/run-with-key.ts";
import { organizationOf } from "../../../environment/target.ts";
import type { Consent } from "../../../engine/run/consent.ts";
import { newRunName } from "../../../engine/run/run-names.ts";
import { type Beginning, startRun } from "../../../engine/run/start-run.ts";
import { inOrganization } from "../../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../../playbook/model.ts";
import { reasonOf } from "../../reason.ts";
import { unfinishedNote } from "../../runs/done-since.ts";
import { peekIntoJournal } from "../../runs/open-journal.ts";
import { type Job, performRuns } from "../../runs/perform.ts";
import { unreadPlaybook } from "../../project/check-failure.ts";
import { inProjectOf, type ProjectShell } from "../../project/chosen-project.ts";
import { folderInProject, statePlace } from "../../project/state-place.ts";
import { loadPlaybooks, playbookFiles } from "../../project/load-playbooks.ts";
import { compares, hasWrites } from "../../../playbook/playbook-walk.ts";
import type { PlanFile } from "../../runs/planning.ts";
import { preparePlaybooks, type Ready } from "../../runs/prepare-playbooks.ts";
import { assertSameFolder, playbookOfRun } from "../../runs/resuming.ts";
import type { Session } from "../../runs/session.ts";
import { emptyStateNote } from "../../runs/not-moved.ts";
import { assertOneKey } from "../../runs/one-key.ts";
import { submittedBefore } from "../../runs/submitted-before.ts";
import { type Command, type Shell, userOf } from "../../shell.ts";
import type { EachOptions } from "../../runs/each.ts";
import type { ReadyPlaybook } from "../../../planner/given.ts";

/** The size to which the young generation may grow. */
const ROOM_BYTES = 16 * 1_024 * 1_024;
const ROWS_ROOM_BYTES = 2 * ROOM_BYTES;
const WATCH_MS = 10;

interface RunOptions extends Omit<EachOptions, "each">, AnywayOptions {
  readonly plan?: string;
  readonly yes?: boolean;
  readonly repeat?: number;
  readonly each?: string;
  readonly watch?: boolean;
}

/** `tokenbook run`: checks every playbook and resolves every input before any of them sends a request. */
export const run: Command<RunOptions> = async (shell, options) => {
  if (options.watch !== true) return runOnce(shell, options);
  const { whenChanged } = await import("../../project/watch.ts");
  return whenChanged(shell, options.files, (watched) => runOnce(watched, options));
};

const runOnce: Command<RunOptions> = async (plainShell, options): Promise<ExitCode> => {
  const anyway = anywayOf(plainShell, options);
  const { each } = options;
  if (each !== undefined) {
    const { runEach } = await import("../../runs/each.ts");
    return runEach(plainShell, { ...options, each }, (shell, ready, key) => jobOf(shell, ready, { key, anyway }));
  }
  let playbooks = options.files.map(unreadPlaybook);
  return performRuns(plainShell, options, {
    playbooks: () => playbooks,
    async prepare() {
      const named = playbookFiles(plainShell, options.files);
      const { files } = named;
      playbooks = files.map(unreadPlaybook);
      const several = files.length > 1;
      if (several) makeRoom(ROOM_BYTES);
      else keepHeapSmall();
      const shell = inProjectOf(plainShell, files, options);
      const checked = loadPlaybooks(shell, files, { tags: options.tags });
      playbooks = checked.map(headed);
      assertOneKey(options.key, checked.length, "run");
      const { ready, secrets, skipped } = preparePlaybooks(shell, options, checked, { named, shard: options.shard });
      playbooks = ready.map(({ playbook }) => headed(playbook));
      if (!several) makeRoom(ROOM_BYTES);
      if (checked.some(compares)) makeReadyForRows();
      const all = { ready, secrets, skipped };
      const planned = options.plan === undefined ? undefined : await plannedIn(shell, { ...options, plan: options.plan }, all);
      const consent = async (session: Session): Promise<Consent | undefined> => {
        if (options.repeat !== undefined && ready.some(({ playbook }) => hasWrites(playbook.steps)))
          throw repeatProtected(session.target.environment);
        return (await import("../../runs/confirm.ts")).consentFor(shell, options, { session, all, planned });
      };
      return {
        shell,
        secrets,
        skipped,
        jobs: repeated(
          ready.map((one) => jobOf(shell, one, { key: options.key, anyway })),
          options.repeat,
        ),
        consent,
      };
    },
  });
};

function headed({ name, file }: Playbook): Job["playbook"] {
  return { name, file };
}

function jobOf(shell: ProjectShell, { playbook, inputs, env }: ReadyPlaybook, { key, anyway }: Beginning): Job {
  const folder = folderInProject(shell);
  const inputsIn = ({ target }: Session): JsonObject => inOrganization(playbook, inputs, organizationOf(target));
  return {
    playbook: headed(playbook),
    steps: playbook.steps.length,
    work: async (session, ports, { say, consent }) => {
      const parts = { playbook, target: session.target, store: session.store, ports, folder };
      const given = { inputs: inputsIn(session), env };
      const name = newRunName(systemClock.now(), systemRandom);
      if (key === undefined) {
        const { state, target } = session;
        const refused = await submittedBefore(shell, { state, environment: target.environment }, { playbook, inputs });
        if (refused !== undefined) throw refused;
        return startRun(parts, given, name, { anyway, consent });
      }
      const reload: Keyed["reload"] = (opened) => {
        assertSameFolder(shell, opened);
        return playbookOfRun(collecting(shell, say), opened);
      };
      return runWithKey(parts, given, name, { key, anyway, consent, reload, say });
    },
    notes: (session) => [
      ...(hasWrites(playbook.steps)
        ? emptyStateNote(session.state, session.store, shell.hint).map((note) => `note: ${note}`)
        : []),
      ...(key !== undefined && session.store.withKey(key) !== undefined
        ? []
        : unfinishedNote(session.store, shell.hint, {
            playbook,
            folder,
            environment: session.target.environment,
            inputs: inputsIn(session),
          })),
    ],
  };
}

// Each repeat is a new run with names of its own, so `run.key` and the ids that the run chooses differ.
function repeated(jobs: readonly Job[], times: number | undefined): readonly Job[] {
  if (times === undefined) return jobs;
  return jobs.flatMap((job) => Array.from({ length: times }, (_, at) => ({ ...job, repeat: { number: at + 1, of: times } })));
}

function repeatProtected(environment: string): Failure {
  return new Failure({
    code: "run.repeat-protected",
    message: `--repeat makes every write again, and the environment ${environment} is protected`,
    why: "a person consents to one run of what was shown; nothing was sent",
    next: "repeat the playbook in an environment that is not protected, such as a sandbox",
  });
}

// Warnings were shown at the first check. This collects the reasons why a playbook can no longer be run.
function collecting(shell: ProjectShell, say: (text: string) => void): ProjectShell {
  return { ...shell, stderr: { ...shell.stderr, write: say } };
}

// A run that has begun continues with its plan, so planning is not repeated. A run that has passed is only shown again.
async function plannedIn(shell: ProjectShell, options: RunOptions & { readonly plan: string }, all: Ready): Promise<PlanFile> {
  const { readPlanFile, refuseOutdated } = await import("../../runs/planning.ts");
  const planned = readPlanFile(shell, options.plan);
  const { key } = options;
  const known = key === undefined ? undefined : peekIntoJournal(statePlace(shell, options), (store) => store.withKey(key));
  const about = { isBegun: known !== undefined, isNamed: key !== undefined };
  if (known?.outcome !== "passed") await refuseOutdated(shell, options, all, { ...planned, ...about });
  return planned;
}

// Most objects of a playbook live long, and one run keeps little else. So the young generation does not grow yet, and the old one is collected when it has
// grown by half. Both take little time and save two fifths of the memory. We set these flags after all code is loaded, because the cached code of modules is
// bound to the flags that it was compiled under.
function keepHeapSmall(): void {
  setV8Flags("--semi-space-growth-factor=1 --heap-growing-percent=50");
}

// Steps leave garbage, which must not be promoted to the old generation. So we let the young generation grow to a limit. Of all limits, V8 only reads the
// growth factor at runtime, so a timer stops the growth.
function makeRoom(bytes: number): void {
  roomBytes = bytes;
  setV8Flags("--semi-space-growth-factor=2");
  watch ??= setInterval(() => {
    if (youngBytes() < roomBytes) return;
    setV8Flags("--semi-space-growth-factor=1");
    clearInterval(watch);
    watch = undefined;
  }, WATCH_MS).unref();
}

let roomBytes = 0;
let watch: NodeJS.Timeout | undefined;

// Rows become garbage at once, and functions that are called for each row are worth optimizing early.
function makeReadyForRows(): void {
  makeRoom(ROWS_ROOM_BYTES);
  setV8Flags("--heap-growing-percent=100 --invocation-count-for-turbofan=3000");
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? Infinity;
}

/** The options with which a person starts a run although earlier runs left writes open. */
interface AnywayOptions {
  /** Starts the run although an earlier run left a write open. */
  readonly anyway?: boolean;
  /** Why that is safe, in the person's own words. The journal records it. */
  readonly because?: string;
}

/** Returns who started the run anyway, and why; nothing if neither option is given. Throws a Failure if only one of them is given. */
function anywayOf(shell: Shell, { anyway, because }: AnywayOptions): Beginning["anyway"] {
  if (anyway === undefined && because === undefined) return undefined;
  const asking = { code: "run.anyway-incomplete", next: "repeat the command with: --anyway --because TEXT" };
  if (anyway === true)
    return { who: userOf(shell), because: reasonOf(because, { ...asking, message: "say why an open write does no harm" }) };
  throw new Failure({ ...asking, message: "--because says why a run begins with --anyway, which is missing" });
}
