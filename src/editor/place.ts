import type { Operation } from "../operations/operation.ts";
import type { KeywordColumns } from "../playbook/keywords/keyword.ts";
import { keywordsAt } from "../playbook/keywords/language.ts";
import { operationIn } from "../playbook/steps/operation-name.ts";
import type { Range, SourceNode } from "../source/node.ts";
import { nameAt, type TextFile } from "./document.ts";
import type { MarkedValue } from "./marked.ts";
import { stepAround } from "./steps.ts";

/** A value that names something: an operation or playbook, a read, an actor, or a condition of a refusal. */
export interface NamedValue {
  /** The kind of thing. */
  readonly kind: NonNullable<KeywordColumns["names"]>;
  /** The value, without the mark. */
  readonly text: string;
  /** The cursor's place in the value, from 0. */
  readonly at: number;
  /** The root of the document that the value is in. */
  readonly root: SourceNode;
  /** The operation of the step around it. */
  readonly operation: Operation | undefined;
}

/** Returns what the value at the cursor names; `undefined` if it names nothing. */
export function placeOf({ path, value, at, parsed: { root } }: MarkedValue): NamedValue | undefined {
  const kind = keywordsAt(path.slice(0, -1))?.[path.at(-1) ?? ""]?.names;
  return kind === undefined ? undefined : { kind, text: value, at, root, operation: operationIn(stepAround(root, path), "uses") };
}

/** Returns the range of a name in its line, without quotes. A name with spaces or other characters is taken as it is written. */
export function rangeOfPlace({ text, at }: NamedValue, file: TextFile, offset: number): Range {
  const start = offset - at;
  return file.text.startsWith(text, start) ? { start, end: start + text.length } : nameAt(file.text, offset);
}
