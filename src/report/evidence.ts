import { recordsIn } from "../base/json/parts.ts";
import { sanitise } from "../base/text/text.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import { cut, oneLine } from "./formats/foreign-text.ts";
import { shortJson } from "./steps/value.ts";

// Together with the text before a line of evidence, this makes 80 columns.
const WIDTH = 72;
const VALUE_CHARS = 40;
const TREE_LINES = 60;
const ANSWER_LINES = 40;
const HINTS = 10;
/** The longest line, so that a number with many digits is not cut. */
const LINE_CHARS = 2_500;

/** A label of ours and the lines below or beside it. Each line is harmless, but it must not begin a printed line by itself. */
export interface Block {
  /** The text before the lines. */
  readonly label: "seen" | "to hold" | "or" | "and" | "response";
  /** Whether the lines form a drawing, which is printed below the label. */
  readonly isDrawn: boolean;
  /** The lines, from top to bottom. */
  readonly lines: readonly string[];
}

/** Explains a failed expectation to people. Returns nothing if there is no evidence of this kind. */
export function explanationBlocks(evidence: Json): readonly Block[] | undefined {
  if (!isObject(evidence) || typeof evidence["expression"] !== "string" || !isObject(evidence["tree"])) return undefined;
  const hints = recordsIn(evidence["hints"]).slice(0, HINTS);
  const answer = textIn(evidence, "response")?.split("\n") ?? [];
  return [
    drawnBlock("seen", bounded(treeLines(evidence["tree"]), TREE_LINES), LINE_CHARS),
    ...hints.map((hint, at): Block => {
      const lines = hintLines(hint).map((line) => oneLine(line, LINE_CHARS));
      return { label: hintLabel(hint, at), isDrawn: false, lines };
    }),
    ...(answer.length === 0 ? [] : [drawnBlock("response", bounded(answer, ANSWER_LINES), WIDTH)]),
  ];
}

function drawnBlock(label: Block["label"], lines: readonly string[], chars: number): Block {
  return { label, isDrawn: true, lines: lines.map((line) => oneLine(line, chars)) };
}

function hintLabel(hint: JsonObject, at: number): Block["label"] {
  if (at === 0) return "to hold";
  return hint["or"] === true ? "or" : "and";
}

function bounded(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [...lines.slice(0, limit), `… ${lines.length - limit} more lines`];
}

// Evidence comes from the journal unchecked, so a value of the wrong type is left out.
function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}

function objectIn(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isObject(value) ? value : undefined;
}

/** A node of a drawn tree: its lines for a width in columns, and the nodes below it. */
interface Twig {
  readonly lines: (width: number) => readonly string[];
  readonly below: readonly Twig[];
}

// The root is left out, because the whole expression was shown before.
function treeLines(tree: JsonObject): readonly string[] {
  const twig = nodeTwig(tree);
  return twig.below.length === 0 ? twig.lines(WIDTH) : drawn(twig.below, "");
}

function drawn(twigs: readonly Twig[], indent: string): readonly string[] {
  return twigs.flatMap(({ lines, below }, at) => {
    const isLast = at === twigs.length - 1;
    const onward = `${indent}${isLast ? "   " : "│  "}`;
    const hanging = below.length === 0 ? "" : "│  ";
    const [first = "", ...rest] = lines(WIDTH - onward.length);
    return [
      `${indent}${isLast ? "└─ " : "├─ "}${first}`,
      ...rest.map((line) => `${onward}${hanging}${line}`),
      ...drawn(below, onward),
    ];
  });
}

function nodeTwig(node: JsonObject): Twig {
  const items = objectIn(node, "items");
  const below = recordsIn(node["parts"]).map(nodeTwig);
  return {
    lines: (width) => nodeLines(node, width),
    below: items === undefined ? below : [...below, itemsTwig(items)],
  };
}

function nodeLines(node: JsonObject, width: number): readonly string[] {
  const expression = textIn(node, "expression") ?? "";
  const left = width - expression.length - ARROW.length;
  const value = nodeValue(node, Math.max(left, VALUE_CHARS));
  if (value === undefined) return [cut(expression, width)];
  if (value.length <= left) return [`${expression}${ARROW}${value}`];
  const room = Math.max(width - INDENTED_ARROW.length, VALUE_CHARS);
  const below = nodeValue(node, room) ?? "";
  const [first = "", ...rest] = textIn(node, "state") === undefined ? [below] : wrapped(below, room, room);
  return [cut(expression, width), `${INDENTED_ARROW}${first}`, ...rest.map((line) => `${BELOW_ARROW}${line}`)];
}

const ARROW = " → ";
const INDENTED_ARROW = "  → ";
const BELOW_ARROW = " ".repeat(INDENTED_ARROW.length);

function nodeValue(node: JsonObject, chars: number): string | undefined {
  const state = textIn(node, "state");
  const why = textIn(node, "why");
  if (state !== undefined) return why === undefined ? state : `${state}: ${why}`;
  return glimpseText(node, chars);
}

function glimpseText(glimpse: JsonObject, chars: number): string | undefined {
  const { value } = glimpse;
  return value === undefined ? textIn(glimpse, "summary") : shortJson(value, chars);
}

function itemsTwig(items: JsonObject): Twig {
  const says = textIn(items, "says") ?? "";
  const shown = recordsIn(items["shown"]);
  const texts = shown.map((item) => flatItem(item));
  const more = items["more"] === true ? [{ lines: () => ["…"], below: [] }] : [];
  const inline = texts.every((text) => text !== undefined)
    ? `${says}: ${[...texts, ...more.map(() => "…")].join(", ")}`
    : undefined;
  if (shown.length === 0) return { lines: () => [says], below: [] };
  if (inline !== undefined && inline.length <= INLINE_ITEMS) return { lines: () => [inline], below: [] };
  return { lines: () => [says], below: [...shown.map(itemTwig), ...more] };
}

const INLINE_ITEMS = 60;

// Formats an item as `[1] h.amount = 0`. Returns nothing for an item with further lines below it.
function flatItem(item: JsonObject): string | undefined {
  const condition = objectIn(item, "condition") ?? {};
  const at = textIn(item, "at") ?? "";
  const parts = recordsIn(condition["parts"]);
  const leaves = parts.length === 0 ? [condition] : parts;
  const isFlat =
    condition["items"] === undefined &&
    leaves.every((leaf) => leaf["items"] === undefined && recordsIn(leaf["parts"]).length === 0);
  if (!isFlat) return undefined;
  const values = leaves.map((leaf) => {
    const value = nodeValue(leaf, VALUE_CHARS);
    const sign = textIn(leaf, "state") === undefined ? " = " : ": ";
    return `${textIn(leaf, "expression") ?? ""}${value === undefined ? "" : `${sign}${value}`}`;
  });
  return `${at} ${values.join(", ")}`;
}

// The condition is the same for each item and is shown above, so only its parts are shown here.
function itemTwig(item: JsonObject): Twig {
  const flat = flatItem(item);
  const at = textIn(item, "at") ?? "";
  if (flat !== undefined && flat.length <= INLINE_ITEMS) return { lines: () => [flat], below: [] };
  const { lines, below } = nodeTwig(objectIn(item, "condition") ?? {});
  return below.length > 0 ? { lines: () => [at], below } : { lines, below };
}

function hintLines(hint: JsonObject): readonly string[] {
  const wanted = objectIn(hint, "wanted");
  const is = objectIn(hint, "is");
  const changes = recordsIn(hint["changes"]);
  const item = textIn(hint, "item");
  const message = textIn(hint, "message");
  const pointer = textIn(hint, "must") === "be" ? pointerLines(is?.["value"], wanted?.["value"]) : [];
  const head = `${item === undefined ? "" : `of ${item}: `}${textIn(hint, "subject") ?? ""} would have to ${textIn(hint, "must") ?? ""}`;
  const isPointed = pointer.length > 0;
  const first =
    wanted === undefined
      ? head
      : `${head} ${wantedText(wanted, { isShownBelow: isPointed || changes.length > 0, chars: WIDTH - LABEL_CHARS - head.length - 1 })}`;
  const second = [isPointed ? undefined : isText(is, changes.length > 0), textIn(hint, "remark")];
  const brackets = second.filter((part) => part !== undefined).join(": ");
  return [
    ...sentenceLines(first, brackets === "" ? "" : `(${brackets})`),
    ...(message === undefined ? [] : [`its message: ${shortJson(message, WIDTH * 2)}`]),
    ...pointer,
    ...changes.map(changeLine),
  ];
}

// How much longer a label is than the bar before the lines below it.
const LABEL_CHARS = "to hold: ".length - "  | ".length;
const LEAST_CHARS = 24;

function sentenceLines(first: string, second: string): readonly string[] {
  if (second === "") return wrapped(first);
  const sentence = `${first} ${second}`;
  return sentence.length <= WIDTH - LABEL_CHARS ? [sentence] : [...wrapped(first), ...wrapped(second)];
}

function wrapped(text: string, first = WIDTH - LABEL_CHARS, others = WIDTH): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const room = lines.length === 0 ? first : others;
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

// If differing places or texts are shown below, a long value is not shown here.
function wantedText(wanted: JsonObject, { isShownBelow, chars }: { isShownBelow: boolean; chars: number }): string {
  const expression = textIn(wanted, "expression");
  const named = expression === undefined ? undefined : cut(expression, WIDTH);
  const value = glimpseText(wanted, Math.max(LEAST_CHARS, chars)) ?? "";
  const text = named === undefined ? value : `${named}, ${value}`;
  return isShownBelow && text.length > chars ? (named ?? "what is written") : text;
}

// If the differing places are shown, the whole value is not repeated.
function isText(is: JsonObject | undefined, hasChanges: boolean): string | undefined {
  const value = is === undefined || hasChanges ? undefined : glimpseText(is, VALUE_CHARS);
  return value === undefined ? undefined : `it is ${value}`;
}

function changeLine(change: JsonObject): string {
  const sign = textIn(change, "sign") ?? "";
  const path = textIn(change, "path") ?? "";
  const values = [objectIn(change, "is"), objectIn(change, "wanted")].flatMap((glimpse) =>
    glimpse === undefined ? [] : [glimpseText(glimpse, VALUE_CHARS) ?? ""],
  );
  return `${sign} ${path}: ${values.join(ARROW)}`;
}

const POINTED_CHARS = 60;
const ALIKE_CHARS = 3;

// Shows two texts that begin alike one above the other, with a pointer at their first difference.
function pointerLines(is: Json | undefined, wanted: Json | undefined): readonly string[] {
  if (typeof is !== "string" || typeof wanted !== "string" || is === wanted) return [];
  const [left, right] = [sanitise(writeJson(is)), sanitise(writeJson(wanted))];
  let at = 0;
  while (left[at] === right[at]) at += 1;
  if (at <= ALIKE_CHARS) return [];
  const from = Math.max(0, Math.min(at - POINTED_CHARS / 2, Math.max(left.length, right.length) - POINTED_CHARS));
  const part = (text: string): string => `${from === 0 ? "" : "…"}${cut(text.slice(from), POINTED_CHARS)}`;
  const pointer = `${" ".repeat(at - from + (from === 0 ? 0 : 1))}^`;
  return [`is:     ${part(left)}`, `wanted: ${part(right)}`, `        ${pointer} the first difference`];
}
