// Helpers for tests of single kills: a shell whose children run the built command, and sandboxes on which to kill runs.
import { fileURLToPath } from "node:url";
import { runChild } from "../../src/cli/child.ts";
import { fillOrigin, type Subject } from "../../src/cli/crash/island.ts";
import type { TrialGround } from "../../src/cli/crash/trial.ts";
import { inProjectOf } from "../../src/cli/project/chosen-project.ts";
import { PLAIN_HINT } from "../../src/base/command-line.ts";
import { readyPlaybooks } from "../../src/cli/runs/prepare-playbooks.ts";
import type { Shell } from "../../src/cli/shell.ts";
import { DEFAULT_PROFILE } from "../../src/contract/profile.ts";
import type { RunName } from "../../src/engine/run/run-names.ts";
import type { Seed } from "../../src/sandbox/sandbox.ts";

const COMMAND = fileURLToPath(new URL("../../bin/tokenbook.js", import.meta.url));

const NOT_STOPPING = new AbortController().signal;
const SILENT = { isTTY: false, columns: 80, rows: 24, write: () => undefined };

/** Returns a shell in a folder that prints nothing. Its children are processes of the built command. */
export function quietShell(cwd: string): Shell {
  return {
    caller: "person",
    stdout: SILENT,
    stderr: SILENT,
    hint: PLAIN_HINT,
    hintState: () => undefined,
    stdin: () => Promise.reject(new Error("nothing is piped in")),
    streams: () => {
      throw new Error("nobody speaks to it");
    },
    cwd,
    variables: process.env,
    node: "24.0.0",
    command: async () => ({ code: 0, signal: null, stderr: "" }),
    relaunch: (relaunch) => runChild([process.execPath, COMMAND, ...relaunch.args], relaunch, cwd),
    signal: () => {
      throw new Error("only children die");
    },
    stopping: () => NOT_STOPPING,
  };
}

/** Prepares ground in a folder for tests of kills. Each kill happens on its own copy of one sandbox. */
export async function groundIn(folder: string, shell: Shell, seed?: Seed): Promise<TrialGround> {
  return { shell, folder, keep: false, origin: await fillOrigin(folder, { seed, profile: DEFAULT_PROFILE }) };
}

/** Returns a playbook to kill. Its path is resolved against this process's folder, as the children of this process resolve it. */
export function subjectOf(
  shell: Shell,
  file: string,
  name: RunName = { runId: "20261121T093000-killed00", runKey: "killed00" },
): Subject {
  const { ready, secrets } = readyPlaybooks(
    inProjectOf(shell, [file]),
    { files: [file], input: {} },
    { files: [file], found: new Set(), skipped: [] },
  );
  const [subject] = ready;
  if (subject === undefined) throw new Error(`${file} holds no playbook`);
  return { ...subject, secrets, name };
}
