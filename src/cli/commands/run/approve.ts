import { command } from "../../../base/command-line.ts";
import { planLines } from "../../../report/plan/text.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import type { MemoryOptions } from "../../project/state-place.ts";
import { changeJournal } from "../../runs/open-journal.ts";
import { readPlanFile } from "../../runs/planning.ts";
import { reasonOf } from "../../reason.ts";
import { printData, printLines } from "../../print/result.ts";
import { type Command, userOf } from "../../shell.ts";

interface ApproveOptions extends MemoryOptions {
  readonly plan: string;
  readonly because?: string;
}

/** `tokenbook approve PLAN --because TEXT`: records in the journal that a run may carry out a plan, who approved it, and why. */
export const approve: Command<ApproveOptions> = async (shell, options) => {
  const because = reasonOf(options.because, {
    code: "approve.incomplete",
    message: "say why a run may do what the plan says",
    next: command`approve ${options.plan} --because TEXT`,
  });
  const { plan, digest } = readPlanFile(shell, options.plan);
  const who = userOf(shell);
  await changeJournal(inProjectHere(shell), options, async (store) => {
    store.approvals.add({ plan: digest, who, because, at: store.clock.now() });
  });
  if (options.json === true) return printData(shell, { plan: digest, who, because });
  for (const each of plan.plans) shell.stdout.write(`${planLines(each, plan.target).join("\n")}\n\n`);
  return printLines(shell, [`${who} approved this plan: ${because}`]);
};
