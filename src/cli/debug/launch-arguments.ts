import { Failure } from "../../base/failure.ts";
import { SchemaSet } from "../../schema/validator.ts";

/** What an editor asks for when it starts a run, as in `.vscode/launch.json`. */
export interface LaunchArguments {
  /** A playbook to run; without it, `resume` names a run. */
  readonly playbook?: string;
  /** A run to continue: its id, a part of it, its key, or `latest`. */
  readonly resume?: string;
  /** The working directory, relative to that of the program; by default the same. */
  readonly cwd?: string;
  /** The name of the environment; the usual one when left out. */
  readonly environment?: string;
  /** Refuses every environment but an embedded sandbox. An editor sets it for what runs without anybody having named an environment. */
  readonly embeddedOnly?: boolean;
  /** As on the command line, all values are texts. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** A file with values for inputs. */
  readonly inputsFile?: string;
  /** The file that gives variables: by its name, none for false, the usual one when left out. */
  readonly dotenv?: string | false;
  /** The folder that keeps the runs; the project's own state when left out. */
  readonly state?: string;
  /** The file of a plan: the run does what it says, or is refused. */
  readonly plan?: string;
  /** The name of the run: a second run with the same key resumes or shows the first one. */
  readonly key?: string;
  /** Consents to what is written in a protected environment. */
  readonly yes?: boolean;
  /** Holds the run at its first moment. */
  readonly stopOnEntry?: boolean;
  /** Stops once at the step on this line of the playbook. */
  readonly stopAtLine?: number;
  /** Makes the run without ever holding it. */
  readonly noDebug?: boolean;
}

const TEXT = { type: "string", minLength: 1 };
const FLAG = { type: "boolean" };

const PROPERTIES: Readonly<Record<keyof LaunchArguments, object>> = {
  playbook: TEXT,
  resume: TEXT,
  cwd: TEXT,
  environment: TEXT,
  embeddedOnly: FLAG,
  inputs: { type: "object", additionalProperties: { type: "string" } },
  inputsFile: TEXT,
  dotenv: { anyOf: [TEXT, { const: false }] },
  state: TEXT,
  plan: TEXT,
  key: TEXT,
  yes: FLAG,
  stopOnEntry: FLAG,
  stopAtLine: { type: "integer", minimum: 1 },
  noDebug: FLAG,
};

/** The JSON Schema of a launch configuration; an editor adds fields of its own. */
export const LAUNCH: object = { type: "object", properties: PROPERTIES };

const schemas = new SchemaSet();

/** Returns what an editor asks for. Throws a Failure where that cannot be meant. */
export function launchArguments(given: unknown): LaunchArguments {
  const [problem] = schemas.plainValidator(LAUNCH)(given ?? {});
  if (problem !== undefined)
    throw new Failure({
      code: "debug.launch",
      message: `${problem.path.join(".") || "the launch configuration"} ${problem.message}`,
      why: problem.path[0] === "inputs" ? 'an input is written as a text, so that its digits stay: "100.00"' : "nothing was sent",
      next: "correct it in .vscode/launch.json",
    });
  const asked = (given ?? {}) as LaunchArguments;
  if ((asked.playbook === undefined) === (asked.resume === undefined))
    throw new Failure({
      code: "debug.launch",
      message: "the launch configuration names either a playbook or a run to resume",
      why: "nothing was sent",
      next: 'write "playbook": "${file}", or "resume": "latest"',
    });
  return asked;
}
