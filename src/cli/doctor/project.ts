import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { count } from "../../base/text/text.ts";
import { readDotenv } from "../../environment/dotenv.ts";
import { KEY_MISSING, readServiceKey } from "../../environment/key.ts";
import { type EnvironmentOutline, outlineEnvironments } from "../../environment/load.ts";
import { loadListeners } from "../../environment/notifications.ts";
import type { DoctorFinding, Grade } from "../../report/doctor/shape.ts";
import { type Dotenv, dotenvFile } from "../project/state-place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { Findings } from "./finding.ts";
import type { Variables } from "../../base/variables.ts";

/** The environments of a project, and the findings about it. */
export interface ProjectSight {
  /** The findings, in the order of the checks. */
  readonly findings: readonly DoctorFinding[];
  /** `undefined` if there is no `tokenbook.yaml`, or if it cannot be read. */
  readonly environments: readonly EnvironmentOutline[] | undefined;
  /** The variables of the process, and those from the dotenv file that the process does not set. */
  readonly variables: Variables;
}

/** Finds `tokenbook.yaml` and `.env`, and checks whether they can be read. */
export function lookAtProject(shell: ProjectShell, options: Dotenv): ProjectSight {
  const findings = new Findings("project");
  const variables = { ...dotenvOf(shell, options, findings), ...shell.variables };
  const { environmentFile: file } = shell.project;
  if (file === undefined) {
    findings.ok("project.none", "there is no tokenbook.yaml here or above: runs act on the embedded sandbox");
    return { findings: findings.all, environments: [], variables };
  }
  const environments = findings.from(() => outlineEnvironments(file, shell.cwd));
  if (environments !== undefined) findings.ok("project.file", `${file}: ${environments.map(({ name }) => name).join(", ")}`);
  return { findings: findings.all, environments, variables };
}

const OTHERS_READ = 0o077;

function dotenvOf(shell: ProjectShell, options: Dotenv, findings: Findings): Variables {
  const file = dotenvFile(shell, options);
  if (file === undefined) return {};
  const name = relative(shell.cwd, file.path);
  const variables = findings.from(() => readDotenv(file, name));
  if (variables === undefined) return {};
  findings.ok(
    "project.dotenv",
    `${name} gives ${count(Object.keys(variables).length, "variable")}; variables that are already set win`,
  );
  if ((statSync(file.path).mode & OTHERS_READ) !== 0)
    findings.warning("project.dotenv-open", `others on this machine may read ${name}`, { next: `chmod 600 ${name}` });
  return variables;
}

/** Reports whether each key is set, without showing it. A missing key of the chosen environment is a problem; a missing key of another one is not. */
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
      const gradeOf = (): Grade => (name === meant ? "problem" : "warning");
      const found = findings.from(() => readServiceKey(key, { folder, variables }), gradeOf);
      if (found !== undefined) findings.ok("keys.there", `${key.reference} is there, for ${key.where}`);
    }
  }
  lookAtListeners(shell, variables, findings);
  return findings.all;
}

// Only schedulers and workers need these addresses, but they do not start without one of them.
function lookAtListeners({ cwd, project: { environmentFile } }: ProjectShell, variables: Variables, findings: Findings): void {
  if (environmentFile === undefined) return;
  const listeners = findings.from(
    () => loadListeners(environmentFile, { cwd, variables }),
    ({ code }) => (code === KEY_MISSING ? "warning" : "problem"),
  );
  if (listeners === undefined) return;
  const { channels, heartbeat } = listeners;
  const names = [...channels.map(({ name }) => name), ...(heartbeat === undefined ? [] : ["heartbeat"])];
  for (const { name, argv } of channels.filter((channel) => channel.kind === "command")) {
    if (isProgram(argv[0], variables)) continue;
    const message = `notifications.${name} runs ${argv[0]}, which is not there or may not be run`;
    const why = "schedules start without it, and no notification of this channel would be delivered";
    findings.warning("keys.no-program", message, { why, next: "fix the command, or make the file executable: chmod +x FILE" });
  }
  if (names.length > 0) findings.ok("keys.listeners", `schedules notify: ${names.join(", ")}`);
}

// A name without a slash is looked for where the system looks for programs.
function isProgram(program: string, { PATH = "" }: Variables): boolean {
  const places = program.includes("/") ? [program] : PATH.split(delimiter).map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}
