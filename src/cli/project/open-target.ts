import { relative } from "node:path";
import { Failure } from "../../base/failure.ts";
import { Secret } from "../../base/secret.ts";
import { DEFAULT_PROFILE, type Profile } from "../../contract/profile.ts";
import { loadEnvironment, loadProfile, outlineEnvironments } from "../../environment/load.ts";
import type { Target } from "../../environment/target.ts";
import { assertTlsChecked } from "../../environment/tls.ts";
import { stateEntry } from "../../files/state.ts";
import type { RunningSandbox } from "../../sandbox/sandbox.ts";
import type { ProjectShell } from "./chosen-project.ts";
import type { Shell } from "../shell.ts";
import { isCi } from "../view/colour.ts";
import { type Where, stateDirectory, variablesOf } from "./state-place.ts";

/** An open target. Disposing of it stops an embedded sandbox, and does nothing for a service that others run. */
export interface OpenTarget extends AsyncDisposable {
  /** Where runs act, with the keys. */
  readonly target: Target;
}

/** Opens the environment that the options name. Without an environment file, opens an embedded sandbox, which keeps its data in the state directory. */
export async function openTarget(
  shell: ProjectShell,
  where: Where,
  sandboxFile: (state: string) => string = (state) => stateEntry(state, "sandbox.db", "create"),
): Promise<OpenTarget> {
  const { environmentFile: file } = shell.project;
  if (file !== undefined) {
    if (shell.embeddedOnly === true) assertEmbedded(shell, file, where);
    const loaded = loadEnvironment(file, { name: where.env, cwd: shell.cwd, variables: variablesOf(shell, where) });
    if ("sandbox" in loaded) return embeddedSandbox(sandboxFile(stateDirectory(shell, where)), loaded.sandbox);
    assertTlsChecked(loaded, shell.variables);
    return openedElsewhere(loaded);
  }
  assertSandboxMeant(shell, where);
  return embeddedSandbox(sandboxFile(stateDirectory(shell, where)), EMBEDDED_NAME);
}

/** Returns an open target that stays open when it is disposed of: a service that others run, or a sandbox that somebody else closes. */
export function openedElsewhere(target: Target): OpenTarget {
  return { target, [Symbol.asyncDispose]: async () => {} };
}

/** The name of the embedded sandbox for `--env` if there is no environment file. */
export const EMBEDDED_NAME = "sandbox";

/**
 * Checks that a run may use the embedded sandbox because there is no environment file. Throws a Failure if the options name another environment, or if a CI job
 * does not name the sandbox: nobody would notice there that no real service was reached.
 */
export function assertSandboxMeant({ variables }: Pick<Shell, "variables">, { env }: Pick<Where, "env">): void {
  if (env === EMBEDDED_NAME || (env === undefined && !isCi(variables))) return;
  if (env !== undefined)
    throw noEnvironmentFile(
      `, so there is no environment "${env}"`,
      "leave --env out to use the embedded sandbox, or write a tokenbook.yaml",
    );
  throw noEnvironmentFile(
    ", and CI is set: tokenbook uses the embedded sandbox only when you ask for it",
    `write a tokenbook.yaml beside the playbooks, or ask for the sandbox: --env ${EMBEDDED_NAME}`,
  );
}

// This is checked before any key is read, because a caller that allows only the sandbox needs no keys.
function assertEmbedded({ cwd }: Shell, file: string, { env }: Where): void {
  const all = outlineEnvironments(file, cwd);
  const chosen = env === undefined ? all[0] : all.find(({ name }) => name === env);
  if (chosen?.embedded === true) return;
  throw new Failure({
    code: "environment.not-embedded",
    message: `${relative(cwd, file)} has no embedded sandbox "${env ?? chosen?.name ?? EMBEDDED_NAME}"`,
    why: "nobody has named the environment for this run, so it may write in the embedded sandbox only; nothing was sent",
    next: `name one, for tests in the setting tokenbook.testEnvironment of the editor: ${all.map(({ name }) => name).join(", ")}`,
  });
}

/** Opens a sandbox in this process as a target. Its data is in the file at `path`; with `:memory:`, it is not stored. */
export async function embeddedSandbox(path: string, environment: string): Promise<OpenTarget> {
  const { startSandbox } = await import("../../sandbox/sandbox.ts");
  const sandbox = await startSandbox({ path });
  const target = sandboxTarget(sandbox, { environment, profile: DEFAULT_PROFILE });
  return { target, [Symbol.asyncDispose]: () => sandbox.close() };
}

/** Returns a running sandbox as a target. */
export function sandboxTarget(sandbox: RunningSandbox, as: Pick<Target, "environment" | "profile">): Target {
  const credentials = new Map(Object.entries(sandbox.credentials).map(([name, key]) => [name, new Secret(name, key)]));
  return {
    ...as,
    embedded: true,
    ledger: {
      baseUrl: sandbox.ledgerBaseUrl,
      settings: { appId: sandbox.appId, orgId: sandbox.orgId },
      apiKey: new Secret("LEDGER_API_KEY", sandbox.ledgerApiKey),
      keyEntity: sandbox.keyEntity ?? undefined,
    },
    investor: { baseUrl: sandbox.investorBaseUrl, credentials },
    exclusive: true,
    protected: false,
    settleWithinMs: undefined,
    // A sandbox is one process with one database, so every read shows all writes that took effect before it.
    readLagMs: 0,
    timeoutMs: 30_000,
    whereIs: (setting) => `the embedded sandbox${setting === "" ? "" : ` (${setting})`}`,
  };
}

/** Returns the profile of an environment from the environment file. Throws a Failure. */
export function profileOf({ cwd, project }: ProjectShell, environment: string): Profile {
  if (project.environmentFile !== undefined) return loadProfile(project.environmentFile, { name: environment, cwd });
  throw noEnvironmentFile(
    `, so there is no environment "${environment}"`,
    "leave --profile out for the usual names and words, or write a tokenbook.yaml",
  );
}

function noEnvironmentFile(so: string, next: string): Failure {
  return new Failure({
    code: "environment.none",
    message: `there is no tokenbook.yaml beside the playbook or above it, nor in this folder or above it${so}`,
    next,
  });
}
