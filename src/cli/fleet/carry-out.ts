import { hostname } from "node:os";
import { EXIT } from "../../base/exit.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { type JsonObject, parseJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { getOrInsert } from "../../base/maps.ts";
import { systemClock, systemRandom } from "../../base/ports.ts";
import { type Redact, redactor } from "../../base/secret.ts";
import { present } from "../../base/present.ts";
import { digestWithData } from "../../engine/run/plan-steps.ts";
import { newRunName } from "../../engine/run/run-names.ts";
import { runWithKey } from "../../engine/run/run-with-key.ts";
import { organizationOf } from "../../environment/target.ts";
import { NotNow, type JobResult, type TakenRun } from "../../fleet/job.ts";
import { assertStillTaken } from "../../fleet/job-rows.ts";
import type { SubmittedRun } from "../../fleet/submitted-run.ts";
import { inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { NO_SECRETS, openSecrets, type Secrets } from "../../playbook/settings/open-secrets.ts";
import { exitOf } from "../../protocol/decide.ts";
import { mayPass } from "../../sql/failure.ts";
import { RunFold } from "../../report/model.ts";
import type { RunReport } from "../../report/shape.ts";
import { maskedError } from "../print/masked.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { filesOf } from "../project/project-files.ts";
import { folderInProject, variablesOf, type Where } from "../project/state-place.ts";
import { loadPlaybooks } from "../project/load-playbooks.ts";
import { openedElsewhere, openTarget, type OpenTarget } from "../project/open-target.ts";
import { refuseSecrets } from "../runs/prepare-playbooks.ts";
import { playbookOfRun } from "../runs/resuming.ts";
import { openSession, type Session } from "../runs/session.ts";

/** Called with each run that has ended or could not start. `redact` masks its secrets. */
export type OnEnded = (run: TakenRun, result: JobResult, about: { readonly report?: RunReport; readonly redact: Redact }) => void;

// The run must be tried later if another worker holds the run or its entity, if an earlier run must be settled first, if this worker is stopping, or if the
// database is unavailable.
function isForLater(error: unknown): boolean {
  if (mayPass(error)) return true;
  return error instanceof Failure && (error.exit === EXIT.interrupted || error.exit === EXIT.locked);
}

/** Carries out submitted runs with one session for each environment. */
export class SubmittedRuns {
  readonly #shell: ProjectShell;
  readonly #where: Where;
  readonly #onEnded: OnEnded;
  readonly #targets = new Map<string, Promise<OpenTarget>>();
  readonly #sessions = new Map<string, Promise<Session>>();

  /** Works in the folder of the project, so that every worker names a playbook by the same path. */
  constructor(shell: ProjectShell, where: Where, onEnded: OnEnded) {
    this.#shell = { ...shell, cwd: shell.project.folder };
    this.#where = where;
    this.#onEnded = onEnded;
  }

  /** Carries out or resumes a submitted run. Rejects with NotNow if another worker must try it again. */
  async carryOut(run: TakenRun): Promise<JobResult> {
    const found: string[] = [];
    const shell: ProjectShell = { ...this.#shell, stderr: { ...this.#shell.stderr, write: (text) => void found.push(text) } };
    try {
      const { playbook, secrets } = await onThisMachine(async () => {
        const checked = playbookOf(shell, run);
        return {
          playbook: checked,
          secrets: openSecrets([checked], { variables: variablesOf(shell, this.#where), files: filesOf(shell) }),
        };
      });
      return await this.#inSession(run, secrets, (session) => {
        refuseSecretsIn(run, { playbook, secrets, session });
        return this.#perform(shell, session, { run, playbook });
      });
    } catch (error) {
      if (error instanceof NotNow) throw error;
      if (isForLater(error)) throw new NotNow(messageOf(error));
      const result = notCarriedOut(error, found);
      this.#onEnded(run, result, { redact: redactor([]) });
      return result;
    }
  }

  /** Releases the runs whose leases could not be released when they ended. Throws a Failure if the database is unavailable. */
  async releaseAbandoned(): Promise<void> {
    const [session] = this.#sessions.values();
    (await session)?.store.leases.releaseAbandoned();
  }

  /** Throws a Failure if the journal has lost records that this worker has written. Then none of its runs begins. */
  async assertWhole(): Promise<void> {
    const [session] = this.#sessions.values();
    (await session)?.store.assertWhole();
  }

  /** Closes everything that is open. */
  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await (await session)[Symbol.asyncDispose]();
    for (const target of this.#targets.values()) await (await target)[Symbol.asyncDispose]();
  }

  // The secrets of a playbook are masked in its own session, so only runs without secrets share a session.
  async #inSession<T>({ environment }: SubmittedRun, secrets: Secrets, work: (session: Session) => Promise<T>): Promise<T> {
    if (secrets.all.length === 0) return work(await this.#shared(environment));
    await using session = await this.#open(environment, secrets);
    return await work(session);
  }

  #shared(environment: string): Promise<Session> {
    return openedOnce(this.#sessions, environment, () => this.#open(environment, NO_SECRETS));
  }

  async #open(environment: string, secrets: Secrets): Promise<Session> {
    const where = { ...this.#where, env: environment };
    const opening = (): Promise<OpenTarget> => onThisMachine(() => openTarget(this.#shell, where));
    const { target } = await openedOnce(this.#targets, environment, opening);
    return openSession(this.#shell, where, secrets, { opened: openedElsewhere(target) });
  }

  async #perform(
    shell: ProjectShell,
    session: Session,
    { run, playbook }: { readonly run: TakenRun; readonly playbook: Playbook },
  ): Promise<JobResult> {
    const { store, target } = session;
    const fold = new RunFold();
    const given = { inputs: inOrganization(playbook, inputsOf(run), organizationOf(target)), env: run.env };
    try {
      const outcome = await session.carry(fold, (ports) =>
        runWithKey(
          { playbook, target, store, ports, folder: folderInProject(shell) },
          given,
          newRunName(systemClock.now(), systemRandom),
          {
            key: run.key,
            consent:
              run.confirmed === null ? { how: "consent yourself: submit it again with --yes" } : { confirmed: run.confirmed },
            reload: (opened) => playbookOfRun(shell, opened),
            admit: (database) => assertStillTaken(database, run),
            say: () => undefined,
          },
        ),
      );
      if (outcome === "interrupted" || fold.closed?.interrupted !== undefined) throw new NotNow("the worker is stopping");
      const result = { run: fold.opened?.runId ?? null, outcome, exit: exitOf(outcome), problem: null };
      this.#onEnded(run, result, { report: fold.report(), redact: session.redact });
      return result;
    } catch (error) {
      throw maskedError(error, session.redact);
    }
  }
}

// Whoever has submitted the run reads this on another machine, where the advice of the failure would change nothing.
async function onThisMachine<T>(prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof Failure) || error.code === OTHER_PLAYBOOK || isForLater(error)) throw error;
    throw new Failure({
      code: error.code,
      message: `the worker on ${hostname()} cannot run it: ${error.message}`,
      next: "correct this in the project of that worker (its playbooks, tokenbook.yaml and keys), start the worker again, and submit the run again with the same key",
      exit: error.exit,
      cause: error,
    });
  }
}

const OTHER_PLAYBOOK = "worker.other-playbook";

// If opening fails, the next call tries again.
function openedOnce<T>(all: Map<string, Promise<T>>, environment: string, open: () => Promise<T>): Promise<T> {
  return getOrInsert(all, environment, () => {
    const opened = open();
    opened.catch(() => all.delete(environment));
    return opened;
  });
}

function inputsOf({ inputs }: SubmittedRun): JsonObject {
  return parseJson(inputs, LIMITS.recordDepth) as JsonObject;
}

// The submitter does not have the secrets, so the worker checks that no input contains one. A run that has begun continues with its recorded inputs.
function refuseSecretsIn(
  run: SubmittedRun,
  { playbook, secrets, session }: { readonly playbook: Playbook; readonly secrets: Secrets; readonly session: Session },
): void {
  if (secrets.all.length === 0 || session.store.withKey(run.key) !== undefined) return;
  refuseSecrets({ inputs: inputsOf(run), env: run.env }, playbook, secrets);
}

function playbookOf(shell: ProjectShell, { playbook: file, digest }: SubmittedRun): Playbook {
  const [playbook] = loadPlaybooks(shell, [file]);
  if (playbook !== undefined && digestWithData(playbook) === digest) return playbook;
  throw new Failure({
    code: OTHER_PLAYBOOK,
    message: `${file}, or a file that it includes, differs from what was submitted`,
    why: "a worker runs only what was submitted; nothing was sent",
    next: "deploy the same version of the playbooks and their data files to every worker, and submit the run again with the same key: if it has begun, it is resumed. A run with another key would repeat its writes",
  });
}

function notCarriedOut(error: unknown, found: readonly string[]): JobResult {
  if (error instanceof Failure) {
    const { code, message, next, exit } = error;
    const said = code === "check.failed" ? [message, ...found].join("\n").trimEnd() : message;
    return { run: null, outcome: null, exit, problem: { code, message: said, ...present({ next }) } };
  }
  return {
    run: null,
    outcome: null,
    exit: EXIT.bug,
    problem: { code: "bug", message: `a bug in tokenbook: ${messageOf(error)}` },
  };
}
