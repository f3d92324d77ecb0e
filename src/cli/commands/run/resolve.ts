import { command } from "../../../base/command-line.ts";
import type { ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { isoTime } from "../../../base/time/date.ts";
import { resolveWrite } from "../../../engine/write/resolve-write.ts";
import { resolvingCommands } from "../../../journal/failures.ts";
import { openWrites } from "../../../protocol/open-writes.ts";
import { stateOf } from "../../../protocol/state.ts";
import { changeJournal, lookIntoJournal } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { reasonOf } from "../../reason.ts";
import { type Command, type Shell, userOf } from "../../shell.ts";
import { printData, printLines } from "../../print/result.ts";
import type { MemoryOptions } from "../../project/state-place.ts";

interface ResolveOptions extends MemoryOptions {
  readonly run: RunReference;
  readonly step?: string;
  readonly as?: "applied" | "absent";
  readonly because?: string;
}

/** `tokenbook resolve`: records the outcome of a write whose answer was lost. Without a step, lists such writes of a run. */
export const resolve: Command<ResolveOptions> = async (shell, options): Promise<ExitCode> => {
  const { run: named, step, as: verdict } = options;
  if (step === undefined) return list(shell, options);
  const incomplete = {
    code: "resolve.incomplete",
    message: "say the outcome of the write, and how you know it",
    next: resolvingCommands(named.typed, step, verdict && [verdict]),
  };
  if (verdict === undefined) throw new Failure(incomplete);
  const because = reasonOf(options.because, incomplete);
  const who = userOf(shell);
  const resolution = { step, verdict, because, who };
  const { run, operation, attempt, replaced } = await changeJournal(shell, options, async (store) => {
    const id = named.in(store);
    return { run: id, ...(await resolveWrite(store, id, resolution)) };
  });
  const replaces = replaced === undefined ? null : { verdict: replaced.verdict, ...replaced.said };
  if (options.json === true) return printData(shell, { run, step, attempt, operation, verdict, because, who, replaces });
  const outcome = `${step}: attempt ${attempt + 1} of ${operation} is ${verdict}, says ${who}: ${because}`;
  const next = verdict === "applied" ? "the step will be completed" : "it will be sent again";
  const before =
    replaces === null ? [] : [`this replaces what ${replaces.who} said: it is ${replaces.verdict}: ${replaces.because}`];
  return printLines(shell, [outcome, ...before, `${next} by: ${shell.hint(command`resume ${run}`)}`]);
};

function list(shell: Shell, options: ResolveOptions): ExitCode {
  const { run, writes } = lookIntoJournal(shell, options, (store) => {
    const id = options.run.in(store);
    return { run: id, writes: openWrites(stateOf(store.read(id))) };
  });
  if (options.json === true) return printData(shell, { run, unknown: writes });
  const lines = writes.map(
    ({ step, attempt, operation, sentAt }) => `${step}  attempt ${attempt + 1}  ${operation}  sent at ${isoTime(sentAt)}`,
  );
  return printLines(shell, lines, "no write of this run is unknown");
}
