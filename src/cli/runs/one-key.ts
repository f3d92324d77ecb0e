import { Failure } from "../../base/failure.ts";

/** Throws a Failure if one key is given to several playbooks. `verb` says what the user should do with each playbook. */
export function assertOneKey(key: string | undefined, playbooks: number, verb: "run" | "submit"): void {
  if (key === undefined || playbooks === 1) return;
  throw new Failure({
    code: "run.one-key",
    message: `the key ${key} is given to ${playbooks} playbooks`,
    why: "a key names one run",
    next: `name one playbook, or ${verb} each with a key of its own`,
  });
}
