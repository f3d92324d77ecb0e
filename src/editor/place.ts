import type { Operation } from "../operations/operation.ts";
import type { KeywordColumns } from "../playbook/keywords/keyword.ts";
import { keywordsAt } from "../playbook/keywords/language.ts";
import { operationIn } from "../playbook/steps/operation-name.ts";
import type { Range, SourceNode } from "../source/node.ts";
import { nameAt, type TextFile } from "./document.ts";
import type { MarkedValue } from "./marked.ts";
import { stepAround } from "./steps.ts";

/** A value that names something: an operation or a playbook, a read, an actor, a condition under which the service refuses. */
export interface NamedValue {
  /** What the value names. */
  readonly kind: NonNullable<KeywordColumns["names"]>;
  /** The value, without the mark. */
  readonly text: string;
  /** The cursor's place in the value, from 0 on. */
  readonly at: number;
  /** The root of the document that the value is in. */
  readonly root: SourceNode;
  /** The operation of the step that it is in. */
  readonly operation: Operation | undefined;
}

/** What the value that the cursor is in names; `undefined` where it names nothing. */
export function placeOf({ path, value, at, parsed: { root } }: MarkedValue): NamedValue | undefined {
  const kind = keywordsAt(path.slice(0, -1))?.[path.at(-1) ?? ""]?.names;
  return kind === undefined ? undefined : { kind, text: value, at, root, operation: operationIn(stepAround(root, path), "uses") };
}

/** What a place takes up of its line, quotes left out: a name of several words, or with other letters, as it is written. */
export function rangeOfPlace({ text, at }: NamedValue, file: TextFile, offset: number): Range {
  const start = offset - at;
  return file.text.startsWith(text, start) ? { start, end: start + text.length } : nameAt(file.text, offset);
}
