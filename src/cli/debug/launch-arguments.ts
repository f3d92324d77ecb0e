import { Failure } from "../../base/failure.ts";
import { SchemaSet } from "../../schema/validator.ts";

/** What an editor sends to start a run, as in `.vscode/launch.json`. */
export interface LaunchArguments {
  /** The playbook to run. Without it, `resume` names a run. */
  readonly playbook?: string;
  /** The run to resume: its id, a part of the id, its key, or `latest`. */
  readonly resume?: string;
  /** The working directory, relative to that of the program. The default is the same directory. */
  readonly cwd?: string;
  /** The name of the environment. If left out, the default of the project. */
  readonly environment?: string;
  /** Refuses every environment except an embedded sandbox. An editor sets it if nobody has named an environment for the run. */
  readonly embeddedOnly?: boolean;
  /** The inputs. As on the command line, all values are texts. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** A file with input values. */
  readonly inputsFile?: string;
  /** The name of the dotenv file; `false` for none. If left out, the default file. */
  readonly dotenv?: string | false;
  /** The folder for the runs. If left out, the project's own state. */
  readonly state?: string;
  /** The file of a plan. The run does exactly what the plan says, or is refused. */
  readonly plan?: string;
  /** The name of the run: a second run with the same key resumes or shows the first one. */
  readonly key?: string;
  /** Consents to writes in a protected environment. */
  readonly yes?: boolean;
  /** Holds the run at its first moment. */
  readonly stopOnEntry?: boolean;
  /** Stops once at the step on this line of the playbook. */
  readonly stopAtLine?: number;
  /** Runs without ever being held. */
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

/** The JSON Schema of a launch configuration. An editor may add fields of its own. */
export const LAUNCH: object = { type: "object", properties: PROPERTIES };

const schemas = new SchemaSet();

/** Returns the launch arguments. Throws a Failure if the editor sent something else. */
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
