import type { FileReader } from "../playbook/playbook-files.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { MapNode } from "../source/node.ts";
import type { Knowledge } from "./expressions/evaluate.ts";
import type { ExportedInputs } from "./export/export-inputs.ts";
import type { OutStep } from "./export/export-step.ts";
import type { TranslationFindings } from "./findings.ts";
import type { Names } from "./names.ts";

/** A playbook that is exported, by itself or in the place of a step. */
export interface Exporting {
  readonly path: string;
  readonly root: MapNode;
  readonly findings: TranslationFindings;
  readonly files: FileReader;
  readonly names: Knowledge;
  readonly prefix: string;
  /** The names of the blocks and includes around a step, for people. */
  readonly about: string | undefined;
  /** The ids of all steps: no two have the same one. */
  readonly ids: Names;
  /** What the ids that a run makes begin with: no two begin alike. */
  readonly words: Names;
  readonly inputs: ExportedInputs;
  /** The steps so far, of all playbooks. */
  readonly all: OutStep[];
  readonly inIncluded: Diagnostic[];
  /** How often something was made that only a list names, by what lists it. */
  readonly listed: Map<string, number>;
}

/** A step, and the names that its expressions can use. */
export interface StepPlace {
  readonly node: MapNode;
  readonly id: string;
  readonly names: Knowledge;
}
