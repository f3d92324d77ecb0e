import { resolve } from "node:path";
import { EXIT } from "../../../base/exit.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { writeWhole } from "../../../files/output.ts";
import { planLines } from "../../../report/plan/text.ts";
import type { DebugOption } from "../../print/debug.ts";
import { inProjectOf } from "../../project/chosen-project.ts";
import { makePlan } from "../../runs/planning.ts";
import { playbookFiles } from "../../project/load-playbooks.ts";
import type { Where } from "../../project/state-place.ts";
import { type InputOptions, readyPlaybooks } from "../../runs/prepare-playbooks.ts";
import type { Command } from "../../shell.ts";

interface PlanOptions extends Where, DebugOption, Omit<InputOptions, "tags"> {
  readonly json?: boolean;
  readonly out?: string;
}

/** `tokenbook plan`: previews runs without writing. */
export const plan: Command<PlanOptions> = async (plainShell, options) => {
  const files = playbookFiles(plainShell, options.files);
  const shell = inProjectOf(plainShell, files.files, options);
  const made = await makePlan(shell, options, readyPlaybooks(shell, options, files));
  if (options.json === true) shell.stdout.write(made.json, "json");
  else {
    const { plans, target } = made.plan;
    const text = plans.map((each) => `${planLines(each, target, shell.hint).join("\n")}\n`).join("\n");
    shell.stdout.write(made.redact(text));
  }
  if (options.out !== undefined) {
    try {
      writeWhole(resolve(shell.cwd, options.out), [made.json]);
    } catch (error) {
      throw new Failure({
        code: "plan.cannot-write",
        message: `the plan ${options.out} cannot be written: ${messageOf(error)}`,
        next: "name a file of its own in a folder that exists: --out FILE.plan",
      });
    }
    shell.stderr.write(`the plan is in ${options.out}\n`);
  }
  return made.plan.ok ? EXIT.passed : EXIT.failed;
};
