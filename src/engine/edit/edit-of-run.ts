import { type AdviceLines, command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { resolvingCommands } from "../../journal/failures.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, firstLines } from "../../base/text/text.ts";
import { organizationOf } from "../../environment/target.ts";
import { readBegun } from "../../playbook/check.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { editedFiles } from "../../protocol/heading.ts";
import { openWrites, writtenWords } from "../../protocol/open-writes.ts";
import type { RunEdited, RunOpened } from "../../protocol/record.ts";
import type { RunState } from "../../protocol/state.ts";
import { writingOf } from "../run/plan-steps.ts";
import type { RunParts } from "../run/run-parts.ts";
import { compareEdit } from "./compare-edit.ts";
import { howToRunAgain } from "./run-again.ts";

/**
 * Returns the fact to record when a run resumes with an edited playbook; nothing when the playbook is unchanged. Throws a Failure that lists
 * each edit of something that the run has already done.
 */
export function editOf(parts: RunParts, state: RunState, files: FileReader): RunEdited | undefined {
  const { playbook, target, ports } = parts;
  const { opened } = state;
  const writing = writingOf(playbook);
  if (opened === undefined || opened.playbook.digest === writing.playbook.digest) return undefined;
  const before = playbookBefore(opened, files);
  if (before === undefined || state.closed?.outcome === "passed") throw changedFailure(opened, parts, state);
  const { conflicts, notes } = compareEdit({ before, now: playbook, state, target, secrets: ports.secrets });
  if (conflicts.length > 0)
    throw contradicted(opened, { edited: editedFiles(opened, writing), conflicts, otherwise: elseBegin(opened, parts, state) });
  return { kind: "run.edited", ...writing, notes };
}

// The playbook as the run has kept it; nothing if this version of tokenbook cannot read that text.
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

interface Contradiction {
  /** The files whose text has changed. */
  readonly edited: readonly string[];
  readonly conflicts: readonly string[];
  readonly otherwise: AdviceLines;
}

function contradicted({ runId }: RunOpened, { edited, conflicts, otherwise }: Contradiction): Failure {
  const shown = firstLines(conflicts, LIMITS.editConflicts);
  return new Failure({
    code: "resume.edited",
    message: `${edited.join(", ")} ${edited.length === 1 ? "was" : "were"} edited, and ${count(conflicts.length, "change")} would contradict what the run ${runId} has already done:\n${shown.join("\n")}`,
    why: "completed steps are neither sent again nor undone",
    next: ["undo these changes (other changes may stay), then continue the run:", command`resume ${runId}`, ...otherwise],
  });
}

function changedFailure(opened: RunOpened, parts: RunParts, state: RunState): Failure {
  return new Failure({
    code: "resume.playbook-changed",
    message: `${parts.playbook.file}, or a playbook that it includes, has changed since the run ${opened.runId} began`,
    why: "steps that were already done might no longer be what the playbook says",
    next: [
      "put the file back as it was (git stash, git checkout; playbooks of tokenbook/ come with its version), resume, and change it then",
      ...elseBegin(opened, parts, state),
    ],
  });
}

// A new run does not see this run's open write, and may send it a second time.
function elseBegin(opened: RunOpened, { playbook, target, ports: { secrets } }: RunParts, state: RunState): AdviceLines {
  const [open] = openWrites(state);
  if (open === undefined)
    return howToRunAgain(opened, { playbook, secrets, organization: organizationOf(target), written: writtenWords(state) });
  return [
    `the outcome of ${open.step} is unknown, so begin no new run; once you know it, record it:`,
    ...resolvingCommands(opened.runId, open.step),
  ];
}
