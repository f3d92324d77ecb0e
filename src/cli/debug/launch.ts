import { resolve as resolvePath } from "node:path";
import type { ExitCode } from "../../base/exit.ts";
import { present } from "../../base/present.ts";
import { resume } from "../commands/run/resume.ts";
import { run } from "../commands/run/run.ts";
import { callersKey } from "../program/arguments.ts";
import { RunReference } from "../runs/run-reference.ts";
import type { Shell } from "../shell.ts";
import type { LaunchArguments } from "./launch-arguments.ts";

/** Makes the run that an editor asks for, in the same way as the command line. */
export function launch(plainShell: Shell, asked: LaunchArguments): Promise<ExitCode> {
  const { embeddedOnly, state } = asked;
  const shell = { ...plainShell, cwd: resolvePath(plainShell.cwd, asked.cwd ?? "."), embeddedOnly };
  if (state !== undefined) shell.hintState(state);
  const options = {
    ...present({ env: asked.environment, dotenv: asked.dotenv, state, yes: asked.yes }),
    report: [],
  };
  if (asked.resume !== undefined) return resume(shell, { ...options, run: RunReference.parse(asked.resume) });
  return run(shell, {
    ...options,
    ...present({ inputs: asked.inputsFile, plan: asked.plan, key: asked.key === undefined ? undefined : callersKey(asked.key) }),
    files: [asked.playbook ?? ""],
    input: asked.inputs ?? {},
    jobs: 1,
  });
}
