import { didYouMean } from "../base/text.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** What would mend a finding: another text for the part of the document that it marks. */
export interface Mend {
  readonly title: string;
  readonly text: string;
}

/** The mend that a finding suggests, when its words say exactly what to write for the marked text. */
export function mendOf({ code, suggestion = "" }: Pick<Diagnostic, "code" | "suggestion">, marked: string): Mend | undefined {
  const meant = /^did you mean "([^"]+)"\?$/.exec(suggestion)?.[1];
  const [, quote = "", word] = /^(["']?)([^\s"']+)\1$/.exec(marked) ?? [];
  if (meant !== undefined && word !== undefined && isLike(word, meant))
    return { title: `Change to "${meant}"`, text: `${quote}${meant}${quote}` };
  const operator = code === "expression.syntax" ? /^write (\S+)$/.exec(suggestion)?.[1] : undefined;
  return operator === undefined ? undefined : { title: `Write ${operator}`, text: operator };
}

// What is meant may stand in another file, or deeper in what is marked.
function isLike(word: string, meant: string): boolean {
  return meant.endsWith(`.${word}`) || didYouMean(word, [meant]) !== undefined;
}
