import { organizationOf } from "../../environment/target.ts";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Profile } from "../../contract/profile.ts";
import type { RunParts } from "../../engine/run/run-parts.ts";
import { resumeRun, startRun } from "../../engine/run/start-run.ts";
import type { RunName } from "../../engine/run/run-names.ts";
import { makeTemporaryFolder } from "../../files/folder.ts";
import { copyPrivate } from "../../files/private.ts";
import { stateEntry } from "../../files/state.ts";
import { JOURNAL_PART } from "../../journal/format.ts";
import { inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { RunOutcome } from "../../protocol/record.ts";
import { type Sandbox, type Seed, type RunningSandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { removeSchema } from "../../state/tables.ts";
import { openedElsewhere, type OpenTarget, sandboxTarget } from "../project/open-target.ts";
import { type Session, sessionOn } from "../runs/session.ts";
import type { Shell } from "../shell.ts";
import { type Clock, systemClock } from "../../base/ports.ts";
import type { Course } from "./course.ts";
import type { ReadyPlaybook } from "../../planner/given.ts";
import type { Variables } from "../../base/variables.ts";
import { present } from "../../base/present.ts";

// The ledger is fast, but still slower than writes that follow one another.
const COMMIT_DELAY_MS = 2;

/** The playbook under test. All of its runs have the same name, so that they choose the same ids and marks. */
export interface Subject extends ReadyPlaybook {
  /** The secrets that the playbook names. */
  readonly secrets: Secrets;
  /** The name from which all runs derive their ids and marks. */
  readonly name: RunName;
}

/** The sandbox that every sandbox of one command is copied from. */
export interface SandboxTemplate {
  /** The file of a filled sandbox that nobody serves. */
  readonly file: string;
  /** When it was filled, in milliseconds since the Unix epoch. */
  readonly filledAt: number;
  /** The profile of the sandbox: its behaviour where the service description leaves it open. */
  readonly profile: Profile;
}

/** Fills the sandbox file that others are copied from. Throws a Failure if the seed is wrong. */
export async function fillOrigin(
  folder: string,
  { seed, profile }: { seed?: Seed | undefined; profile: Profile },
): Promise<SandboxTemplate> {
  const file = stateEntry(folder, "sandbox.db", "create");
  const filledAt = Date.now();
  const sandbox = await startSandbox({ path: file, profile, ...present({ seed }) });
  await sandbox.close();
  return { file, filledAt, profile };
}

/** A sandbox and a state of its own. Disposing of an island closes the session and the sandbox, and removes the schema on a server. The folder stays. */
export interface Island extends AsyncDisposable {
  /** The folder of the sandbox's file. It also holds the state, unless that is on a server. */
  readonly folder: string;
  /** The schema of the state on a server; undefined if the state is in the folder. */
  readonly schema: string | undefined;
  /** The island's own sandbox. */
  readonly sandbox: Sandbox;
  /** Where runs reach the sandbox. */
  readonly served: RunningSandbox;
  /** The session that the island's runs in this process share. */
  readonly session: Session;
}

/** What an island is made from. */
export interface IslandParts {
  /** The filled sandbox to copy. */
  readonly origin: SandboxTemplate;
  /** The secrets that the playbook names. */
  readonly secrets: Secrets;
  /** The server for the state. The island creates a schema there and removes it at the end. If left out, the state is in the island's folder. */
  readonly server?: ServerPlace | undefined;
  /** Watches each point that runs of this process pass on the island. */
  readonly course?: Course | undefined;
  /** Puts a proxy between runs and the sandbox, and returns the proxy's address. */
  readonly via?: ((sandbox: RunningSandbox) => Promise<RunningSandbox>) | undefined;
}

/** Creates an island in a folder. */
export async function openIsland(shell: Pick<Shell, "cwd" | "stopping">, folder: string, parts: IslandParts): Promise<Island> {
  const { origin, secrets, server, course, via } = parts;
  const path = stateEntry(folder, "sandbox.db", "create");
  copyPrivate(origin.file, path);
  await using opening = new AsyncDisposableStack();
  const own = server && { ...server, schema: `tokenbook_crash_${randomUUID().replaceAll("-", "")}`, memory: undefined };
  if (own !== undefined) opening.defer(() => removeSchema(own, JOURNAL_PART));
  const sandbox = opening.adopt(await startSandbox({ path, profile: origin.profile, commitDelayMs: COMMIT_DELAY_MS }), (each) =>
    each.close(),
  );
  const served = (await via?.(sandbox)) ?? sandbox;
  const how = { state: own ?? folder, playbookSecrets: secrets, course, clock: hastyClock() };
  const session = opening.use(sessionOn(shell, openedAt(served, origin.profile), how));
  const all = opening.move();
  return { folder, schema: own?.schema, sandbox, served, session, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Makes a sandbox that another process serves the target of a session. */
export function openedAt(served: RunningSandbox, profile: Profile): OpenTarget {
  return openedElsewhere(sandboxTarget(served, { environment: "sandbox", profile }));
}

/**
 * Creates a new folder for islands, in memory if possible. A kill loses nothing that the system has received, so memory is as safe as a disk here, and takes
 * half the time.
 */
export function temporaryFolder(variables: Variables): string {
  const root = variables["TMPDIR"] === undefined && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  return makeTemporaryFolder(join(root, "tokenbook-crash-"));
}

/** Runs the subject from its first step. Throws a Failure if it cannot start. */
export function begin(session: Session, { playbook, inputs, env, name }: Omit<Subject, "secrets">): Promise<RunOutcome> {
  return onSession(session, (ports) => {
    const given = { inputs: inOrganization(playbook, inputs, organizationOf(session.target)), env };
    return startRun({ playbook, target: session.target, store: session.store, ports }, given, name);
  });
}

/** Resumes the subject's run, or starts it if no process has done so. */
export function resumeOrBegin(session: Session, subject: Omit<Subject, "secrets">): Promise<RunOutcome> {
  const { target, store } = session;
  const [run] = store.runs.latest(1);
  if (run === undefined) return begin(session, subject);
  return onSession(session, (ports) => resumeRun({ playbook: subject.playbook, target, store, ports }, run.id));
}

function onSession(session: Session, work: (ports: RunParts["ports"]) => Promise<RunOutcome>): Promise<RunOutcome> {
  return session.carry({ event: () => undefined }, work);
}

// A run looks for a lost write for seconds, but the sandbox commits within two milliseconds.
const HASTE = 20;

/** Returns a clock that runs twenty times as fast while somebody sleeps, and at the usual speed otherwise. */
function hastyClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => Math.floor(systemClock.now() + aheadMs),
    elapsed: () => systemClock.elapsed() + aheadMs,
    uptime: () => undefined,
    sleep: async (ms, signal) => {
      const sleptMs = Math.ceil(ms / HASTE);
      await systemClock.sleep(sleptMs, signal);
      aheadMs += ms - sleptMs;
    },
  };
}
