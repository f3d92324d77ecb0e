import type { FileReader } from "../playbook/playbook-files.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { MapNode } from "../source/node.ts";
import type { Knowledge } from "./expressions/evaluate.ts";
import type { ExportedInputs } from "./export/export-inputs.ts";
import type { OutStep } from "./export/export-step.ts";
import type { TranslationFindings } from "./findings.ts";
import type { Names } from "./names.ts";

/** A playbook that is being exported, either by itself or in the place of a step. */
export interface Exporting {
  /** The path of its file. */
  readonly path: string;
  /** Its document. */
  readonly root: MapNode;
  /** The findings about what the translation loses or changes in its file. */
  readonly findings: TranslationFindings;
  /** Reads the playbooks that it includes. */
  readonly files: FileReader;
  /** The names that its expressions can use. */
  readonly names: Knowledge;
  /** The prefix of its steps' ids; empty for a playbook that is exported by itself. */
  readonly prefix: string;
  /** The names of the blocks and includes around a step, for people. */
  readonly about: string | undefined;
  /** The ids of all steps, which are unique. */
  readonly ids: Names;
  /** The prefixes of the ids that a run generates, which are all different. */
  readonly words: Names;
  /** The inputs of the workflow, for all playbooks. */
  readonly inputs: ExportedInputs;
  /** The steps so far, of all playbooks. */
  readonly all: OutStep[];
  /** What was found in the playbooks that it includes. */
  readonly inIncluded: Diagnostic[];
  /** How many things were created that only a list names, by the read that lists them. */
  readonly listed: Map<string, number>;
}

/** A step with the names that its expressions can use. */
export interface StepPlace {
  /** The step or check in its document. */
  readonly node: MapNode;
  /** The id of its step in the workflow, with a number after it if another step has the same id. */
  readonly id: string;
  /** The names that its expressions can use. */
  readonly names: Knowledge;
}
