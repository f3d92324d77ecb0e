import { CATALOGUE } from "../base/catalogue/catalogue.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** Returns whether a text is meant to be a playbook. Other YAML files are ignored. */
export function isPlaybook(text: string): boolean {
  return /^\ufeff?(?:\{\s*)?["']?playbook["']?[ \t]*:/m.test(text);
}

/** Returns whether a text is meant to be an Arazzo document. */
export function isArazzo(text: string): boolean {
  return /^\ufeff?(?:\{\s*)?["']?arazzo["']?[ \t]*:/m.test(text);
}

// Matches a playbook whose first line is missing or misspelt.
const PARTS = /^(?:steps|reconcile)[ \t]*:/m;

/**
 * Returns the findings that may be shown. A file that is not a playbook may hold anything, such as somebody's keys. So only its first
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
