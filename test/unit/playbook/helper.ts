import { existsSync, readFileSync } from "node:fs";
import { shipped } from "../../../src/cli/project/shipped.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import type { FileReader } from "../../../src/playbook/playbook-files.ts";
import type { CallStep, Playbook } from "../../../src/playbook/model.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";

/** Reads the files on the disk, and the playbooks that come with the tool. */
export const realFiles: FileReader = { read: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined), shipped };

/** Returns the playbook that a text describes. The text must be correct, but may declare what it does not use. */
export function correct(text: string): Playbook {
  const { playbook, diagnostics } = checkPlaybook("test.yaml", text, realFiles);
  if (playbook === undefined) throw new Error(diagnostics.map(formatDiagnostic).join("\n"));
  return playbook;
}

/** Returns the only step of a playbook. The text `before` is put in front of `steps`. */
export function onlyStep(step: string, before = ""): CallStep {
  const [only] = correct(holding(step, before)).steps;
  if (only?.kind !== "call") throw new Error("no step");
  return only;
}

/** Returns the findings about a step, as `CODE message`. */
export function saidOf(step: string, before = ""): string[] {
  return checkPlaybook("test.yaml", holding(step, before)).diagnostics.map(({ code, message }) => `${code} ${message}`);
}

/** Returns the suggestions for a step. */
export function suggestionsOf(step: string, before = ""): (string | undefined)[] {
  return checkPlaybook("test.yaml", holding(step, before)).diagnostics.map(({ suggestion }) => suggestion);
}

// Most tests do not care who acts. Where they name nobody, the key acts.
function holding(step: string, before: string): string {
  const rest = /^defaults:/m.test(before) ? "" : "defaults: { as: { ledger: key } }\n";
  return `playbook: 1\n${before}\nsteps:\n  - ${step.replaceAll("\n", "\n    ")}\n${rest}`;
}
