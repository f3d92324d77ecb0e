import { command } from "../../../base/command-line.ts";
import { acceptLoss } from "../../../journal/loss.ts";
import { LOOKING } from "../../../journal/journal.ts";
import { knownStatePlace, type MemoryOptions } from "../../project/state-place.ts";
import { reasonOf } from "../../reason.ts";
import { printData, printLines } from "../../print/result.ts";
import { type Command, userOf } from "../../shell.ts";

interface AcceptOptions extends MemoryOptions {
  readonly because?: string;
}

/** `tokenbook runs accept-loss --because TEXT`: a person who has checked the ledger continues with a journal that has lost records. */
export const acceptLosses: Command<AcceptOptions> = async (shell, options) => {
  const because = reasonOf(options.because, {
    code: "loss.incomplete",
    message: "say what you found in the ledger, and why it is safe to continue without the lost records",
    next: command`runs accept-loss --because TEXT`,
  });
  const who = userOf(shell);
  const what = acceptLoss(knownStatePlace(shell, options), LOOKING, { who, because });
  if (options.json === true) return printData(shell, { what, who, because });
  return printLines(shell, [
    `${who} accepts the loss: ${because}`,
    `  ${what}`,
    "runs that had not passed cannot be resumed; others can begin",
  ]);
};
