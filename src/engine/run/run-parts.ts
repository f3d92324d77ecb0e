import type { Target } from "../../environment/target.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { EnginePorts } from "../engine-ports.ts";

/** What makes up a run. */
export interface RunParts {
  /** The playbook that is run. */
  readonly playbook: Playbook;
  /** The environment in which the run acts. */
  readonly target: Target;
  /** The journal that holds its records. */
  readonly store: JournalStore;
  /** What the engine may ask of the world. */
  readonly ports: EnginePorts;
  /** The folder against which the paths of its files are resolved, relative to the project's folder; `undefined` if unknown. */
  readonly folder?: string | undefined;
}
