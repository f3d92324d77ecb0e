import { relative } from "node:path";
import { statSync } from "node:fs";
import { Failure } from "../../base/failure.ts";
import { count } from "../../base/text/text.ts";
import { readDotenv } from "../../environment/dotenv.ts";
import { KEY_MISSING, type KeyReference, readServiceKey } from "../../environment/key.ts";
import { type EnvironmentOutline, outlineEnvironments } from "../../environment/load.ts";
import { loadListeners } from "../../environment/notifications.ts";
import type { DoctorFinding } from "../../report/doctor/shape.ts";
import { type Dotenv, dotenvFile } from "../project/project.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { Findings } from "./finding.ts";
import type { Variables } from "../../base/variables.ts";

/** What a project says of its environments. */
export interface ProjectSight {
  /** What was found, in the order in which it was looked at. */
  readonly findings: readonly DoctorFinding[];
  /** Nothing where there is no file, or none that can be read. */
  readonly environments: readonly EnvironmentOutline[] | undefined;
  /** The variables of the process, and those of the dotenv file that the process does not set. */
  readonly variables: Variables;
}

/** Where `tokenbook.yaml` and `.env` are, and whether they can be read. */
export function lookAtProject(shell: ProjectShell, options: Dotenv): ProjectSight {
  const findings = new Findings("project");
  const variables = { ...dotenvOf(shell, options, findings), ...shell.variables };
  const { environmentFile: file } = shell.project;
  if (file === undefined) {
    findings.ok("project.none", "there is no tokenbook.yaml here or above: runs act on the embedded sandbox");
    return { findings: findings.all, environments: [], variables };
  }
  try {
    const environments = outlineEnvironments(file, shell.cwd);
    findings.ok("project.file", `${file}: ${environments.map(({ name }) => name).join(", ")}`);
    return { findings: findings.all, environments, variables };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    findings.failure(error);
    return { findings: findings.all, environments: undefined, variables };
  }
}

const OTHERS_READ = 0o077;

function dotenvOf(shell: ProjectShell, options: Dotenv, findings: Findings): Variables {
  const file = dotenvFile(shell, options);
  if (file === undefined) return {};
  const name = relative(shell.cwd, file.path);
  try {
    const variables = readDotenv(file, name);
    findings.ok(
      "project.dotenv",
      `${name} gives ${count(Object.keys(variables).length, "variable")}; variables that are already set win`,
    );
    if ((statSync(file.path).mode & OTHERS_READ) !== 0)
      findings.warning("project.dotenv-open", `others on this machine may read ${name}`, { next: `chmod 600 ${name}` });
    return variables;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    findings.failure(error);
    return {};
  }
}

/** Whether each key is there, not which it is. Those of the environment that is meant must be; those of others may be missing. */
export function lookAtKeys(
  shell: ProjectShell,
  { environments, variables }: ProjectSight,
  meant: string | undefined,
): readonly DoctorFinding[] {
  const findings = new Findings("keys");
  const { folder } = shell.project;
  if (environments === undefined) return [];
  for (const { name, keys } of environments) {
    for (const key of keys) {
      const failure = failureOf(key, { folder, variables });
      if (failure === undefined) findings.ok("keys.there", `${key.reference} is there, for ${key.where}`);
      else findings.failure(failure, name === meant ? "problem" : "warning");
    }
  }
  lookAtListeners(shell, variables, findings);
  return findings.all;
}

// Only schedulers and workers need them: without one of their addresses, these do not start.
function lookAtListeners({ cwd, project: { environmentFile } }: ProjectShell, variables: Variables, findings: Findings): void {
  if (environmentFile === undefined) return;
  try {
    const { channels, heartbeat } = loadListeners(environmentFile, { cwd, variables });
    const names = [...channels.map(({ name }) => name), ...(heartbeat === undefined ? [] : ["heartbeat"])];
    if (names.length > 0) findings.ok("keys.listeners", `schedules notify: ${names.join(", ")}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    findings.failure(error, error.code === KEY_MISSING ? "warning" : "problem");
  }
}

function failureOf(key: KeyReference, from: { readonly folder: string; readonly variables: Variables }): Failure | undefined {
  try {
    readServiceKey(key, from);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
