import { hash } from "node:crypto";
import { resolve } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { jsonEquals, type Json, parseJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Clock, systemClock } from "../../base/ports.ts";
import type { Redact } from "../../base/secret.ts";
import type { EnginePorts } from "../../engine/engine-ports.ts";
import { leftBehindBefore, refusalBeside } from "../../engine/run/earlier/left-behind.ts";
import { readingOnly } from "../../engine/read/reading-port.ts";
import { ServiceClient } from "../../engine/service/service.ts";
import type { JournalStore } from "../../journal/store.ts";
import { mayHaveWritten, writtenWords } from "../../protocol/open-writes.ts";
import { stateOf } from "../../protocol/state.ts";
import { organizationOf, type Target } from "../../environment/target.ts";
import { assertSamePlan, assertSamePlanned } from "../../planner/compare.ts";
import type { PlannerPorts } from "../../planner/context.ts";
import { planAll } from "../../planner/plan.ts";
import { readPlan } from "../../planner/read-plan.ts";
import { inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { harmlessDocument } from "../../base/text/harmless.ts";
import { isoTime } from "../../base/time/date.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { PlanDocument, PlannedProblem, PlannedRun } from "../../report/plan/shape.ts";
import { Transport } from "../../transport/exchange.ts";
import { type DebugOption, openExchanges } from "../print/debug.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import type { Shell } from "../shell.ts";
import { secretsGivenTo } from "./given-secrets.ts";
import { folderInProject, statePlace, type Where } from "../project/state-place.ts";
import { openTarget } from "../project/open-target.ts";
import { readText } from "../project/read-file.ts";
import { peekIntoJournal } from "./open-journal.ts";
import { submittedBefore } from "./submitted-before.ts";
import type { Ready } from "./prepare-playbooks.ts";
import type { ReadyPlaybook } from "../../planner/given.ts";

/** A plan, and its text without secrets that a service may have repeated. */
export interface MadePlan {
  readonly plan: PlanDocument;
  /** The plan in JSON, with secrets masked. */
  readonly json: string;
  /** Masks keys and the secrets of playbooks wherever they appear. */
  readonly redact: Redact;
}

/** Where the planned runs would act, and the key that they would have. */
export interface PlanningOptions extends Where, DebugOption {
  readonly key?: string;
}

/** Plans the runs of these playbooks in the place that the options name. Stores nothing. Throws a Failure. */
export async function makePlan(shell: ProjectShell, where: PlanningOptions, { ready, secrets }: Ready): Promise<MadePlan> {
  return whileReading(shell, where, secrets, (target, ports) => {
    const clock = clockOf(statePlace(shell, where));
    return madePlan(ready, target, { ...ports, clock, refusal: (each) => refusalOf({ shell, where, target }, each) });
  });
}

/**
 * Checks, before any write is sent, that a plan belongs to these playbooks, inputs and environment. Unless its run has begun, also checks that planning again
 * gives the same plan. Throws a Failure that shows what changed.
 */
export async function refuseOutdated(
  shell: ProjectShell,
  options: Where & DebugOption,
  { ready, secrets }: Ready,
  { file, plan, isBegun, isNamed }: PlanFile & { readonly isBegun: boolean; readonly isNamed: boolean },
): Promise<void> {
  await whileReading(shell, options, secrets, async (target, ports) => {
    assertSamePlanned(plan, placed(ready, target), target);
    if (isBegun) return;
    const state = statePlace(shell, options);
    const { json } = await madePlan(ready, target, { ...ports, clock: clockOf(state) });
    assertSamePlan(plan, readPlan(file, parseJson(json, LIMITS.recordDepth)));
    // A run with a key is another run, and in a protected environment each run needs its own approval.
    if (isNamed || target.protected) return;
    peekIntoJournal(state, (store) => {
      assertMadeBefore(plan, store.clock.now());
      for (const each of placed(ready, target))
        assertNotCarriedOut(store, plan, { ...each, target, folder: folderInProject(shell) });
    });
  });
}

// A plan is compared with the runs since it was made, so its time and theirs follow one clock.
function clockOf(state: StatePlace): Clock {
  const [read, begun] = [peekIntoJournal(state, ({ clock }) => clock.now()), systemClock.elapsed()];
  return { ...systemClock, now: () => Math.round(read + systemClock.elapsed() - begun) };
}

// The clock was set back since, or it was another one. Until then, a run by this plan would count as one before it.
function assertMadeBefore({ madeAt }: PlanDocument, now: number): void {
  if (Date.parse(madeAt) <= now) return;
  throw new Failure({
    code: "plan.made-later",
    message: `the plan says that it was made at ${madeAt}, but it is only ${isoTime(now)} by the clock of the state`,
    why: "tokenbook could not find out whether the plan has been carried out since; only reads were sent",
    next: ["make a new plan and look at it:", command`plan FILE --out FILE`],
  });
}

interface ToPlan extends ReadyPlaybook {
  readonly target: Target;
  readonly folder: string | undefined;
}

// After the plan was carried out, its reads may give the same values as before, so comparing plans is not enough.
function assertNotCarriedOut(store: JournalStore, { madeAt }: PlanDocument, { playbook, inputs, target, folder }: ToPlan): void {
  const since = store.runs.begunSince({ file: playbook.file, folder }, target.environment, Date.parse(madeAt));
  for (const { id } of since) {
    const state = stateOf(store.read(id));
    if (!jsonEquals(state.opened?.inputs ?? null, inputs) || !mayHaveWritten(state)) continue;
    throw new Failure({
      code: "plan.carried-out",
      message: `the run ${id} of ${playbook.file} has begun with the same inputs since the plan was made (${madeAt}), and has written ${writtenWords(state)}`,
      why: "a run by this plan would make these writes again; only reads were sent",
      next:
        state.closed?.outcome === "passed"
          ? ["to make these writes once more, make a new plan and look at it:", command`plan ${playbook.file} --out FILE`]
          : command`resume ${id}`,
    });
  }
}

/** The file of a plan. It is read only once, so that we compare the text that somebody has approved. */
export interface PlanFile {
  /** The file's name on the command line. */
  readonly file: string;
  /** The plan in the file. */
  readonly plan: PlanDocument;
  /** The hexadecimal SHA-256 digest of its text. An approval refers to this digest. */
  readonly digest: string;
}

/** Reads the file of a plan. Throws a Failure if it contains no plan. */
export function readPlanFile({ cwd }: Pick<Shell, "cwd">, file: string): PlanFile {
  const text = readText(resolve(cwd, file), file);
  return { file, plan: readPlan(file, parsed(file, text)), digest: hash("sha256", text) };
}

/** What a planner needs, and a function that returns why the journal does not allow a run to start. */
interface PlanningPorts extends PlannerPorts {
  readonly refusal?: (ready: ReadyPlaybook) => Promise<PlannedProblem | null>;
}

async function madePlan(ready: readonly ReadyPlaybook[], target: Target, ports: PlanningPorts): Promise<MadePlan> {
  const { redact } = ports.secrets;
  const made = await planAll(placed(ready, target), target, ports);
  const plans: PlannedRun[] = [];
  for (const [at, each] of made.plans.entries()) {
    const given = ready[at];
    plans.push({ ...each, refused: (given && (await ports.refusal?.(given))) ?? null });
  }
  const plan = { ...made, ok: made.ok && plans.every(({ refused }) => refused === null), plans };
  return { plan, json: redact(harmlessDocument(plan)), redact };
}

interface Refusing {
  readonly shell: ProjectShell;
  readonly where: PlanningOptions;
  readonly target: Target;
}

// A run does the same checks before it starts.
async function refusalOf({ shell, where, target }: Refusing, ready: ReadyPlaybook): Promise<PlannedProblem | null> {
  const state = statePlace(shell, where);
  const submitted =
    where.key === undefined ? await submittedBefore(shell, { state, environment: target.environment }, ready) : undefined;
  const refused = submitted ?? peekIntoJournal(state, (store) => refusedBeside(store, { shell, target }, ready));
  if (refused === undefined) return null;
  const { code, message, next = null } = refused;
  return { code, message, next };
}

function refusedBeside(
  store: JournalStore,
  { shell, target }: Omit<Refusing, "where">,
  ready: ReadyPlaybook,
): Failure | undefined {
  const { playbook, ...given } = placedIn(target, ready);
  const starting = { playbook, target, given, folder: folderInProject(shell) };
  return refusalBeside(leftBehindBefore(store, starting, { clock: store.clock }));
}

function placed(ready: readonly ReadyPlaybook[], target: Target): readonly ReadyPlaybook[] {
  return ready.map((each) => placedIn(target, each));
}

function placedIn(target: Target, ready: ReadyPlaybook): ReadyPlaybook {
  return { ...ready, inputs: inOrganization(ready.playbook, ready.inputs, organizationOf(target)) };
}

/** Opens the environment that the options name for reading, and closes it after the work. */
export async function whileReading<T>(
  shell: ProjectShell,
  where: Where & DebugOption,
  playbookSecrets: Secrets,
  work: (target: Target, ports: PlannerPorts & Pick<EnginePorts, "exchange">) => Promise<T>,
): Promise<T> {
  using exchanges = await openExchanges(shell, where);
  await using opened = await openTarget(shell, where);
  await using transport = new Transport();
  const { target } = opened;
  const secrets = secretsGivenTo(target, playbookSecrets);
  const exchange = transport.exchange.bind(transport);
  const ports = {
    clock: systemClock,
    exchange: exchanges?.of(secrets).around(exchange) ?? exchange,
    stopping: shell.stopping(),
    secrets,
  };
  return await work(target, { ...ports, service: readingOnly(new ServiceClient(target, ports)) });
}

function parsed(file: string, text: string): Json {
  try {
    return parseJson(text, LIMITS.recordDepth);
  } catch (error) {
    throw new Failure({
      code: "plan.unreadable",
      message: `${file} is not a plan: ${messageOf(error)}`,
      next: ["write one:", command`plan PLAYBOOK --out FILE`],
    });
  }
}
