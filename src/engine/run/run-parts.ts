import type { Target } from "../../environment/target.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { EnginePorts } from "../engine-ports.ts";

/** The parts of a run. */
export interface RunParts {
  readonly playbook: Playbook;
  readonly target: Target;
  readonly store: JournalStore;
  readonly ports: EnginePorts;
  /** Where the paths of its files begin, from the project's folder; `undefined` if unknown. */
  readonly folder?: string | undefined;
}
