import type { Operation } from "../../operations/operation.ts";
import type { Outline } from "../outline.ts";

const WRITTEN = ["changed", "unchanged", "skipped"] as const;
const READ_OR_REFUSED = ["ok", "skipped"] as const;
const COMPOSED = ["ok", "changed", "unchanged", "skipped", "rescued"] as const;

/** The outcomes of a step that other steps can see, and a word for this choice, which distinguishes the types of steps. */
export interface VisibleOutcomes {
  /** The outcomes. */
  readonly values: readonly string[];
  /** A word for them; empty for those of a step outside of blocks that nobody expects to fail. */
  readonly word: string;
}

/** Returns the outcomes of a call outside of blocks that nobody expects to be refused. */
export function usualOutcomes({ writes }: Operation): VisibleOutcomes {
  return { values: writes ? WRITTEN : READ_OR_REFUSED, word: "" };
}

/** Returns whether a step passes only if the service refuses its call. */
export function expectsRefusal({ kind, node }: Pick<Outline, "kind" | "node">): boolean {
  return kind === "call" && node.entries.has("fails");
}

/** Returns the outcomes of a step that other steps can see. After a step outside of blocks has stopped, no other step runs. */
export function visibleOutcomes({ kind, node, sections }: Outline, operation?: Operation): VisibleOutcomes {
  const isRefused = expectsRefusal({ kind, node });
  const isWrite = operation?.writes === true;
  const passed = kind !== "call" ? COMPOSED : isWrite && !isRefused ? WRITTEN : READ_OR_REFUSED;
  const word = isRefused ? "Refused" : "";
  if (sections.length === 0) return { values: passed, word };
  const stopped = kind !== "call" ? STOPPED : isWrite ? STOPPED_WRITE : STOPPED_READ;
  return { values: [...passed, ...stopped], word: `${word}Nested` };
}

const STOPPED_READ = ["failed", "pending"] as const;
const STOPPED_WRITE = [...STOPPED_READ, "unknown", "conflict"] as const;
const STOPPED = [...STOPPED_WRITE, "drift"] as const;
