import { createInterface } from "node:readline";
import { type Advice, command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { hasWrites } from "../../playbook/playbook-walk.ts";
import type { Consent } from "../../engine/run/consent.ts";
import { planLines } from "../../report/plan/text.ts";
import type { DebugOption } from "../print/debug.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import type { Where } from "../project/state-place.ts";
import { type Shell, userOf } from "../shell.ts";
import { consentBefore, type ConsentOption } from "./consent.ts";
import { makePlan, type PlanFile } from "./planning.ts";
import type { Ready } from "./prepare-playbooks.ts";
import type { Session } from "./session.ts";

/** The options with which a person consents to writes in a protected environment. */
export interface ConfirmOptions extends Where, DebugOption, ConsentOption {
  /** The playbook files or folders, as the command line names them. */
  readonly files: readonly string[];
  /** The key that the caller gives to the run. */
  readonly key?: string;
  /** Prints JSON on stdout. */
  readonly json?: boolean;
}

interface Confirming {
  readonly session: Session;
  readonly all: Ready;
  /** The plan that somebody may have approved. Left out if there is no plan. */
  readonly planned: PlanFile | undefined;
}

/**
 * Returns who consents to the writes of these playbooks: by `--yes`, by a plan that somebody else has approved, or by an answer on the terminal. If nobody can
 * be asked, returns how to consent. Returns nothing if no consent is needed. Throws a Failure if the plan is not approved, or if the answer is no.
 */
export async function consentFor(
  shell: ProjectShell,
  options: ConfirmOptions,
  { session, all, planned }: Confirming,
): Promise<Consent | undefined> {
  if (!all.ready.some(({ playbook }) => hasWrites(playbook.steps))) return undefined;
  if (planned !== undefined) return hasBegun(session, options) ? undefined : approvedBy(shell, planned, session);
  const { environment } = session.target;
  const consent = consentBefore(shell, options, waysToConsent(options, environment));
  return "confirmed" in consent ? consent : ((await askedFor(shell, options, { all, environment })) ?? consent);
}

function waysToConsent({ files, key }: ConfirmOptions, environment: string): Advice {
  const what = [...files, "--env", environment];
  const named = key === undefined ? [] : ["--key", key];
  return [
    "have somebody else approve a plan:",
    command`plan ${what} --out approved.plan`,
    command`approve approved.plan --because TEXT`,
    command`run ${[...what, ...named]} --plan approved.plan`,
    "or consent yourself: repeat the command on a terminal, which shows the plan and asks, or add --yes",
  ];
}

// A run that is resumed or shown again got its consent when it began.
function hasBegun({ store }: Session, { key }: ConfirmOptions): boolean {
  return key !== undefined && store.withKey(key) !== undefined;
}

function approvedBy(shell: Shell, { file, digest }: PlanFile, { store }: Session): Consent {
  const who = userOf(shell);
  const approvals = store.approvals.of(digest);
  const approval = approvals.find((each) => each.who !== who);
  if (approval === undefined)
    throw notApproved(
      file,
      approvals.length === 0
        ? `nobody has approved the plan ${file}, or a run has used the approval`
        : `only ${who}, who starts the run, has approved the plan ${file}`,
    );
  // The first run that begins uses the approval up for all runs of this command. Its commit may be rolled back, so only the journal says whether it has begun.
  let user: string | undefined;
  const use = (runId: string): void => {
    if (user !== undefined && store.knows(user)) return;
    if (!store.approvals.use(approval))
      throw notApproved(
        file,
        `since this command began, the approval of the plan ${file} by ${approval.who} was used or replaced`,
      );
    user = runId;
  };
  return { confirmed: { who, how: "plan", approval }, use };
}

function notApproved(file: string, message: string): Failure {
  return new Failure({
    code: "plan.not-approved",
    message,
    why: "the environment is protected, and somebody else must approve each run that writes there; nothing was written",
    next: ["have somebody else approve it:", command`approve ${file} --because TEXT`],
  });
}

interface ToConfirm {
  readonly all: Ready;
  readonly environment: string;
}

async function askedFor(
  shell: ProjectShell,
  options: ConfirmOptions,
  { all, environment }: ToConfirm,
): Promise<Consent | undefined> {
  const { input } = shell.streams();
  if (options.json === true || !shell.stderr.isTTY || !("isTTY" in input) || input.isTTY !== true) return undefined;
  const { plan, redact } = await makePlan(shell, options, all);
  for (const each of plan.plans) shell.stderr.write(redact(`${planLines(each, plan.target, shell.hint).join("\n")}\n\n`));
  shell.stderr.write(`The environment ${environment} is protected. Type its name to write there: `);
  if ((await lineOf(input)) === environment) return { confirmed: { who: userOf(shell), how: "asked" } };
  throw new Failure({
    code: "run.not-confirmed",
    message: `the answer was not "${environment}"`,
    why: "without its name, tokenbook writes nothing in a protected environment; nothing was sent",
    next: "repeat the command, and type the name of the environment",
  });
}

async function lineOf(input: NodeJS.ReadableStream): Promise<string> {
  using lines = createInterface({ input });
  for await (const line of lines) return line.trim();
  return "";
}
