import { checkPlaybook } from "../src/playbook/check.ts";
import type { Playbook } from "../src/playbook/model.ts";
import type { Course } from "./schedule.ts";

const head = (by: string): string => `playbook: 1
actors:
  alice: { ledger: "userId:alice" }
  bob: { ledger: "userId:bob" }
  carol: { ledger: "userId:carol" }
  dora: { ledger: "userId:dora" }
  erin: { ledger: "userId:erin" }
  buyer: { investor: BUYER_KEY }
defaults: { as: ${by} }
steps:
`;

/** Returns the text of a playbook. */
function textOf({ steps, by }: Pick<Course, "steps" | "by">): string {
  return head(by ?? "alice") + steps.map(({ text }) => text).join("");
}

const checked = new Map<string, Playbook>();

/** Returns the playbook of these steps, in a file. Checking a playbook takes far longer than running it, so none is checked twice. */
export function playbookOf(course: Course, file: string): Playbook {
  return { ...checkedOnce(textOf(course)), file };
}

function checkedOnce(text: string): Playbook {
  const known = checked.get(text);
  if (known !== undefined) return known;
  const { playbook, diagnostics } = checkPlaybook("simulated.yaml", text);
  if (playbook === undefined) throw new Error(`${diagnostics.map(({ message }) => message).join("\n")}\n${text}`);
  checked.set(text, playbook);
  return playbook;
}
