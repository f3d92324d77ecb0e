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
  /** The path of its file. */
  readonly path: string;
  /** Its document. */
  readonly root: MapNode;
  /** What the translation loses or changes in its file. */
  readonly findings: TranslationFindings;
  /** Reads the playbooks that it includes. */
  readonly files: FileReader;
  /** The names that its expressions can use. */
  readonly names: Knowledge;
  /** What the ids of its steps begin with; empty of the playbook that is exported by itself. */
  readonly prefix: string;
  /** The names of the blocks and includes around a step, for people. */
  readonly about: string | undefined;
  /** The ids of all steps: no two have the same one. */
  readonly ids: Names;
  /** What the ids that a run makes begin with: no two begin alike. */
  readonly words: Names;
  /** The inputs of the workflow, for all playbooks. */
  readonly inputs: ExportedInputs;
  /** The steps so far, of all playbooks. */
  readonly all: OutStep[];
  /** What was found in the playbooks that it includes. */
  readonly inIncluded: Diagnostic[];
  /** How often something was made that only a list names, by what lists it. */
  readonly listed: Map<string, number>;
}

/** A step, and the names that its expressions can use. */
export interface StepPlace {
  /** The step or check in its document. */
  readonly node: MapNode;
  /** The id that its step in the workflow has, with a number behind it where another has it already. */
  readonly id: string;
  /** The names that its expressions can use. */
  readonly names: Knowledge;
}
