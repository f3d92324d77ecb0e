import { command } from "../../../base/command-line.ts";
import { isoTime } from "../../../base/time/date.ts";
import { releaseRun } from "../../../engine/run/release-run.ts";
import { spellHolder } from "../../../journal/holder.ts";
import type { Lease } from "../../../journal/leases.ts";
import { changeJournal, lookIntoJournal } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { reasonOf } from "../../reason.ts";
import { type Command, userOf } from "../../shell.ts";
import { printData, printLines } from "../../print/result.ts";
import type { MemoryOptions } from "../../project/state-place.ts";

/** `tokenbook runs leases`: lists the leases that runs hold on themselves, on groups, and on the entities they act as. */
export const listLeases: Command<MemoryOptions> = async (shell, options) => {
  const leases = lookIntoJournal(shell, options, (store) => store.leases.list());
  if (options.json === true) {
    const held = leases.map(({ holder, since, epoch: _epoch, life: _life, ...lease }) => ({
      ...lease,
      holder: holder ?? null,
      since: isoTime(since),
    }));
    return printData(shell, { leases: held });
  }
  return printLines(shell, leases.map(leaseLine), "nothing is held");
};

function leaseLine({ kind, name, runId, holder, since, shared }: Lease): string {
  const by = holder === undefined ? "left a write open" : `${spellHolder(holder)}, since ${isoTime(since)}`;
  const what = kind === "run" ? "itself" : kind === "group" ? `group "${name}"` : name;
  return `${runId}  ${what}  ${by}${shared ? "; another run has acted as this entity since" : ""}`;
}

interface LeaseReleaseOptions extends MemoryOptions {
  readonly run: RunReference;
  readonly because?: string;
}

/** `tokenbook runs release RUN --because TEXT`: records that the process of another host that holds a run is gone. */
export const release: Command<LeaseReleaseOptions> = async (shell, options) => {
  const because = reasonOf(options.because, {
    code: "release.incomplete",
    message: "say how you know that its process is gone for good",
    next: command`runs release ${options.run.typed} --because TEXT`,
  });
  const who = userOf(shell);
  const { run, from } = await changeJournal(shell, options, async (store) => {
    const id = options.run.in(store);
    return { run: id, from: await releaseRun(store, id, { who, because }) };
  });
  if (options.json === true) return printData(shell, { run, from, who, because });
  const line = `${run} is no longer held by ${spellHolder(from)}, says ${who}: ${because}`;
  return printLines(shell, [line, `to continue: ${shell.hint(command`resume ${run}`)}`]);
};
