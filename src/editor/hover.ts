import { functionsOn } from "./functions.ts";
import { operations } from "../operations/operation.ts";
import { plainWords } from "../operations/refusal.ts";
import { checkPlaybook } from "../playbook/check.ts";
import { readActors } from "../playbook/steps/identity.ts";
import { isPath } from "../playbook/outline.ts";
import { child, type Range } from "../source/node.ts";
import { actorText } from "./completion.ts";
import { wordIn } from "./cursor.ts";
import { playbookNamed, type EditorFiles, type TextFile, wordAt } from "./document.ts";
import { type ExpressionCursor, lookAtExpression } from "./expression-at-cursor.ts";
import { markedValue } from "./marked.ts";
import { doubtOf, meaningOf } from "./names.ts";
import { type NamedValue, placeOf, rangeOfPlace } from "./place.ts";
import { conditionWords, functionWords, operationWords, playbookWords, valueWords } from "./markdown.ts";

/** A description of a part of a document in Markdown. */
export interface Hover {
  /** The Markdown text. */
  readonly words: string;
  /** The part of the document. */
  readonly range: Range;
}

/** Returns the description of the name under the cursor. */
export function hover(file: TextFile, offset: number, files: EditorFiles): Hover | undefined {
  const marked = markedValue(file, offset);
  if (marked === undefined) return undefined;
  const found = lookAtExpression(marked, files, wordsInExpression);
  if (found !== undefined) return found.seen === undefined ? undefined : { words: found.seen, range: wordAt(file.text, offset) };
  const place = placeOf(marked);
  if (place === undefined) return undefined;
  const words = wordsOfName(place, file, files);
  return words === undefined ? undefined : { words, range: rangeOfPlace(place, file, offset) };
}

function wordsInExpression({ text, at, scope }: ExpressionCursor): string | undefined {
  const word = wordIn(text, at, scope.types);
  if (word === undefined || word.text === "") return undefined;
  const meaning = meaningOf(word, scope);
  if (meaning !== undefined) {
    const doubt = doubtOf(word.chain, scope);
    const words = valueWords({ ...meaning, name: word.chain.join(".") }, scope.types);
    return doubt === undefined ? words : `${words}\n\n${doubt}`;
  }
  const named = functionsOn(word.owner?.type).find(({ name }) => name === word.text);
  return named === undefined ? undefined : functionWords(named);
}

function wordsOfName(place: NamedValue, file: TextFile, files: EditorFiles): string | undefined {
  const { kind, text, root } = place;
  if (kind === "condition") return wordsOfCondition(place);
  if (kind === "actor") {
    const actor = readActors(child(root, "actors")).get(text);
    return actor === undefined ? undefined : `**${actor.name}** acts as ${actorText(actor)}`;
  }
  if (kind === "uses" && isPath(text)) return wordsOfPlaybook(playbookNamed(text, file.path, files), files);
  const operation = operations.get(text);
  return operation === undefined ? undefined : operationWords(operation);
}

function wordsOfCondition({ text, operation }: NamedValue): string | undefined {
  if (operation === undefined) return undefined;
  const found = conditionWords(operation).find(({ condition }) => plainWords(condition) === plainWords(text));
  return found === undefined ? undefined : `**${found.condition}**: ${found.words}`;
}

function wordsOfPlaybook(file: TextFile | undefined, files: EditorFiles): string | undefined {
  const playbook = file === undefined ? undefined : checkPlaybook(file.path, file.text, files).playbook;
  return playbook === undefined ? undefined : playbookWords(playbook);
}
