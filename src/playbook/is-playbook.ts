import { CATALOGUE } from "../base/catalogue/catalogue.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** Whether a text is meant to be a playbook: other YAML files are nobody's business here. */
export function isPlaybook(text: string): boolean {
  return /^\ufeff?(?:\{\s*)?["']?playbook["']?[ \t]*:/m.test(text);
}

/** Whether a text is meant to be an Arazzo document. */
export function isArazzo(text: string): boolean {
  return /^\ufeff?(?:\{\s*)?["']?arazzo["']?[ \t]*:/m.test(text);
}

// One that lacks its first line, or misspells it.
const PARTS = /^(?:steps|reconcile)[ \t]*:/m;

/**
 * Returns the findings in a text as they may be shown. A file that is no playbook may hold anything, such as somebody's keys: only its first
 * finding is shown, without a quotation.
 */
export function shownOf(text: string, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (isPlaybook(text) || PARTS.test(text)) return diagnostics;
  return diagnostics.slice(0, 1).map(({ why: _why, ...found }) => ({
    ...found,
    message: CATALOGUE[found.code].title,
    why: "no line begins with playbook: or steps:, so this may be no playbook, and nothing of it is shown",
    suggestion: "a playbook begins with the line playbook: 1",
    frame: "",
  }));
}
