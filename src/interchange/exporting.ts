import type { FileReader } from "../playbook/playbook-files.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { MapNode } from "../source/node.ts";
import type { Knowledge } from "./expressions/evaluate.ts";
import type { OutStep } from "./export/export-step.ts";
import type { TranslationFindings } from "./findings.ts";

/** A playbook that is exported, by itself or in the place of a step. */
export interface Exporting {
  readonly path: string;
  readonly root: MapNode;
  readonly findings: TranslationFindings;
  readonly files: FileReader;
  readonly names: Knowledge;
  readonly prefix: string;
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
