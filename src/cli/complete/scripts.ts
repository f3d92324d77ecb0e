import type { SHELL_NAMES } from "../program.ts";
import { script, ShellCompDirective } from "@bomb.sh/tab";

/** The shells for which there is completion. */
export type ShellName = (typeof SHELL_NAMES)[number];

/** What a shell is told beside the candidates: no names of files in their place; and no space behind the one that is left. */
export const DIRECTIVE: Readonly<Record<"usual" | "goesOn", number>> = {
  usual: ShellCompDirective.ShellCompDirectiveNoFileComp,
  goesOn: ShellCompDirective.ShellCompDirectiveNoFileComp | ShellCompDirective.ShellCompDirectiveNoSpace,
};

// It asks a function of bash-completion, which is not everywhere, where the cursor is.
const WITHOUT_BASH_COMPLETION = `
if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=\${COMP_WORDS[COMP_CWORD]}
        prev=\${COMP_WORDS[COMP_CWORD-1]}
    }
fi
`;

/** What a shell reads to ask for candidates. */
export function scriptFor(shell: ShellName, program: string): string {
  const text = printedBy(() => script(shell, program, program));
  // Read a second time, what is read-only would be an error.
  return shell === "bash" ? text.replaceAll(/^readonly /gm, "") + WITHOUT_BASH_COMPLETION : text;
}

// The library prints, and gives nothing back.
function printedBy(work: () => void): string {
  const { log } = console;
  const lines: unknown[] = [];
  console.log = (line: unknown) => void lines.push(line);
  try {
    work();
  } finally {
    console.log = log;
  }
  return `${lines.join("\n")}\n`;
}
