import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, quoted } from "../../base/text.ts";
import { readBegun } from "../../playbook/check.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import type { RunEdited, RunOpened } from "../../protocol/record.ts";
import type { RunState } from "../../protocol/state.ts";
import { writingOf } from "../run/plan-steps.ts";
import type { RunParts } from "../run/run-parts.ts";
import { compareEdit } from "./compare-edit.ts";

/**
 * What is to be recorded when a run goes on with its playbook as it is now; nothing when that is as it was. Throws a Failure that tells
 * each change of something that the run has done already.
 */
export function editOf({ playbook, target, ports }: RunParts, state: RunState, files: FileReader): RunEdited | undefined {
  const { opened } = state;
  const writing = writingOf(playbook);
  if (opened === undefined || opened.playbook.digest === writing.playbook.digest) return undefined;
  const before = playbookBefore(opened, files);
  if (before === undefined || state.closed?.outcome === "passed") throw changed(opened, playbook, state);
  const { conflicts, notes } = compareEdit({ before, now: playbook, state, target, secrets: ports.secrets });
  if (conflicts.length > 0) throw contradicted(opened, conflicts, state);
  return { kind: "run.edited", ...writing, notes };
}

// As the run has kept it; nothing when this version of tokenbook cannot read it.
function playbookBefore({ playbook: { file }, sources }: RunOpened, files: FileReader): Playbook | undefined {
  const texts = new Map(Object.entries(sources ?? {}));
  const text = texts.get(file);
  if (text === undefined) return undefined;
  return readBegun(file, text, {
    ...files,
    read: (path) => texts.get(path) ?? files.read(path),
    shipped: { names: [], read: (name) => texts.get(name) },
  });
}

function contradicted(opened: RunOpened, conflicts: readonly string[], state: RunState): Failure {
  const { runId, playbook } = opened;
  const told = conflicts.slice(0, LIMITS.editConflicts);
  const more = conflicts.length > told.length ? `\nand ${conflicts.length - told.length} more` : "";
  return new Failure({
    code: "resume.edited",
    message: `${playbook.file} has been edited, and ${count(conflicts.length, "change")} would make what the run ${runId} has done another thing:\n${told.join("\n")}${more}`,
    why: "what is done stays done; it is neither sent again nor taken back",
    next: `undo these changes (others may stay), then: tokenbook resume ${runId}${elseBegin(opened, state)}`,
  });
}

function changed(opened: RunOpened, playbook: Playbook, state: RunState): Failure {
  return new Failure({
    code: "resume.playbook-changed",
    message: `${playbook.file}, or a playbook that it includes, has changed since the run ${opened.runId} began`,
    why: "steps that were already done might no longer be what the playbook says",
    next: `put the file back as it was (git stash, git checkout; playbooks of tokenbook/ come with its version), resume, and change it then${elseBegin(opened, state)}`,
  });
}

// A new run knows nothing of a write that is open, and may send it a second time.
function elseBegin({ runId, playbook: { file }, target: { environment } }: RunOpened, state: RunState): string {
  const [open] = openWrites(state);
  if (open !== undefined)
    return `; nobody knows what became of ${open.step}, so begin no new run; once you know, say so: tokenbook resolve ${runId} --step ${quoted(open.step)} --as applied|absent --because TEXT`;
  // Where this one acts, not on the first environment that there is.
  return `; or begin a new run: tokenbook run ${quoted(file)} --env ${quoted(environment)}`;
}
