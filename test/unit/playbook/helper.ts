import { existsSync, readFileSync } from "node:fs";
import { shipped } from "../../../src/cli/project/shipped.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import type { FileReader } from "../../../src/playbook/playbook-files.ts";
import type { CallStep, Playbook } from "../../../src/playbook/model.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";

/** The files of the disk, and the playbooks that come with the tool. */
export const realFiles: FileReader = { read: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined), shipped };

/** The playbook of a text that must be correct; it may declare what it does not use. */
export function correct(text: string): Playbook {
  const { playbook, diagnostics } = checkPlaybook("test.yaml", text, realFiles);
  if (playbook === undefined) throw new Error(diagnostics.map(formatDiagnostic).join("\n"));
  return playbook;
}

/** The only step of a playbook that holds nothing else; `before` comes in front of `steps`. */
export function onlyStep(step: string, before = ""): CallStep {
  const [only] = correct(holding(step, before)).steps;
  if (only?.kind !== "call") throw new Error("no step");
  return only;
}

/** What is said of a step, as `CODE message`. */
export function saidOf(step: string, before = ""): string[] {
  return checkPlaybook("test.yaml", holding(step, before)).diagnostics.map(({ code, message }) => `${code} ${message}`);
}

/** What is suggested for a step. */
export function suggestionsOf(step: string, before = ""): (string | undefined)[] {
  return checkPlaybook("test.yaml", holding(step, before)).diagnostics.map(({ suggestion }) => suggestion);
}

// Whoever acts is of no matter to most tests: where they name nobody, the key acts.
function holding(step: string, before: string): string {
  const rest = /^defaults:/m.test(before) ? "" : "defaults: { as: { ledger: key } }\n";
  return `playbook: 1\n${before}\nsteps:\n  - ${step.replaceAll("\n", "\n    ")}\n${rest}`;
}
