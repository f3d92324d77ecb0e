import { adviceText, command } from "../../base/command-line.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, firstLines } from "../../base/text/text.ts";
import { present } from "../../base/present.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { CheckedFile } from "../../report/check/checked.ts";
import type { NotBegun } from "../../report/shape.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";

/** A checked file with the name of its playbook, if known. */
type NamedCheck = CheckedFile & { readonly playbook: { readonly name: string } | undefined };

/** Some of the named playbooks fail the check, so none of them is run. */
export class CheckFailure extends Failure {
  readonly #checked: readonly NamedCheck[];

  constructor(checked: readonly NamedCheck[]) {
    const broken = checked.filter(({ ok }) => !ok);
    const [first] = broken.flatMap(errorsOf);
    const names = broken.map(({ file }) => file);
    super({
      code: "check.failed",
      message: `${count(broken.length, "playbook")} of ${checked.length} cannot be run: ${firstLines(names, LIMITS.filesNamed).join(", ")}`,
      why: "nothing was sent",
      next: command`check --explain ${first?.code ?? "all"}`,
      exit: EXIT.cannotStart,
    });
    this.#checked = checked;
  }

  /** Each playbook with its first error, or with the note that others have errors. */
  get notBegun(): readonly NotBegun[] {
    return this.#checked.map((checked) => ({
      playbook: { name: checked.playbook?.name ?? checked.file, file: checked.file },
      problem: problemOf(checked) ?? this.toJSON(),
    }));
  }
}

/** Returns what is known of a playbook before its file is read. */
export function unreadPlaybook(file: string): NotBegun["playbook"] {
  return { name: file, file };
}

/** Returns the report on playbooks that could not be run. `playbooks` names them if the failure does not. */
export function notBegunBy(failure: Failure, playbooks: () => readonly NotBegun["playbook"][]): readonly NotBegun[] {
  if (failure instanceof CheckFailure) return failure.notBegun;
  return playbooks().map((playbook) => ({ playbook, problem: failure.toJSON() }));
}

function errorsOf({ diagnostics }: CheckedFile): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

function problemOf(checked: CheckedFile): StepProblem | undefined {
  const [first, ...others] = errorsOf(checked);
  if (first === undefined) return undefined;
  const { code, file, line, column, message, why } = first;
  const more = others.length === 0 ? "" : `, and ${count(others.length, "error")} more`;
  return {
    code,
    message: `${file}:${line}:${column} ${message}${more}`,
    ...present({ why }),
    next: adviceText(command`check ${checked.file}`),
  };
}
