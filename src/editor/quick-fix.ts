import { didYouMean } from "../base/text/text.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** The fix of a finding: another text for the part of the document that it marks. */
export interface QuickFix {
  /** What the fix does, as an editor shows it. */
  readonly title: string;
  /** What takes the place of the marked text. */
  readonly text: string;
}

/** Returns the fix that a finding suggests, when its words say exactly what to write for the marked text. */
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

// The part that is meant may be in another file, or deeper in the marked text.
function isLike(word: string, meant: string): boolean {
  return meant.endsWith(`.${word}`) || didYouMean(word, [meant]) !== undefined;
}
