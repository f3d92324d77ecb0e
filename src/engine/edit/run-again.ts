import { type AdviceLines, command } from "../../base/command-line.ts";
import { type Json, jsonEquals, textOrJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { InputDeclaration } from "../../playbook/declarations.ts";
import { inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { RunOpened } from "../../protocol/record.ts";

/** A playbook to run again, and the secrets that its inputs may hold. */
interface RunAgain {
  readonly playbook: Playbook;
  readonly secrets: Secrets;
  /** The environment's organization, which completes the run's entities. */
  readonly organization: string | undefined;
  /** What the earlier run wrote, as `writtenWords` spells it. */
  readonly written: string;
}

/**
 * Returns how to begin a new run with the inputs of an earlier one: a command, or where to see the inputs if a command line cannot hold
 * them. With other inputs the run would do something else.
 */
export function howToRunAgain({ runId, inputs, playbook, target }: RunOpened, again: RunAgain): AdviceLines {
  const twice = again.written === "" ? "" : `, which repeats the writes of this run (${again.written})`;
  const words = again.playbook.inputs.map((declaration) => wordsOf(declaration, inputs[declaration.name], again));
  if (words.includes(undefined))
    return [
      `or begin a new run of ${playbook.file} in the environment "${target.environment}" with the same inputs${twice}; to see them:`,
      command`runs show ${runId} --json`,
    ];
  // Without --env, the command would run in the first environment instead of the run's own.
  const given = words.flatMap((word) => word ?? []);
  return [`or begin a new run${twice}:`, command`run ${[playbook.file, "--env", target.environment, ...given]}`];
}

// The option that gives a value: none for the default, and undefined for a value that fits no command line: a file's content, a secret, a
// long text.
function wordsOf(
  { name, type, default: usual }: InputDeclaration,
  value: Json | undefined,
  { playbook, secrets, organization }: RunAgain,
): readonly string[] | undefined {
  const otherwise = usual === undefined ? undefined : inOrganization(playbook, { [name]: usual }, organization)[name];
  if (value === undefined || (otherwise !== undefined && jsonEquals(value, otherwise))) return [];
  const text = textOrJson(value);
  if (type === "file" || text.length > LIMITS.editedChars || /\p{Cc}/u.test(text) || secrets.maskIn(text) !== undefined)
    return undefined;
  return ["--input", `${name}=${text}`];
}
