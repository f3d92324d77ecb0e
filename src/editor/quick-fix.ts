import { didYouMean } from "../base/text/text.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** The fix for a finding: a new text for the marked part of the document. */
export interface QuickFix {
  /** What the fix does, as an editor shows it. */
  readonly title: string;
  /** The text that replaces the marked text. */
  readonly text: string;
}

/** Returns the fix for a finding, if its suggestion says exactly what to write in place of the marked text. */
export function quickFixOf(
  { code, suggestion = "" }: Pick<Diagnostic, "code" | "suggestion">,
  marked: string,
): QuickFix | undefined {
  const meant = /^did you mean "([^"]+)"\?$/.exec(suggestion)?.[1];
  const [, quote = "", word] = /^(["']?)([^\s"']+)\1$/.exec(marked) ?? [];
  if (meant !== undefined && word !== undefined && isLike(word, meant))
    return { title: `Change to "${meant}"`, text: `${quote}${meant}${quote}` };
  const operator = code === "expression.syntax" ? /^write (\S+)$/.exec(suggestion)?.[1] : undefined;
  return operator === undefined ? undefined : { title: `Write ${operator}`, text: operator };
}

// The part that must be fixed may be in another file, or deeper in the marked text.
function isLike(word: string, meant: string): boolean {
  return meant.endsWith(`.${word}`) || didYouMean(word, [meant]) !== undefined;
}
