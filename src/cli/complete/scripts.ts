import type { SHELL_NAMES } from "../program/editor-commands.ts";

/** The shells that have completion. */
export type ShellName = (typeof SHELL_NAMES)[number];

// Bash replaces only the part of a word after its last word break, and $2 holds that part. So we remove the part before it from each candidate.
const BASH = `# bash completion for tokenbook
__tokenbook_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} value description
    local word=\${line##*[[:space:]]}
    local before=\${word%"$2"}
    COMPREPLY=()
    while IFS=$'\\t' read -r value description; do
        COMPREPLY+=("\${value#"$before"}")
    done < <(tokenbook complete -- "$line" 2>/dev/null)
    if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F __tokenbook_complete tokenbook
`;

const ZSH = `#compdef tokenbook
_tokenbook() {
    emulate -L zsh
    local value description
    local -a values shown space
    while IFS=$'\\t' read -r value description; do
        values+=("$value")
        shown+=("$value\${description:+  -- $description}")
    done < <(tokenbook complete -- "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)
    if [[ $#values == 1 && $values[1] == *[/=] ]]; then
        space=(-S '')
    fi
    compadd $space -l -d shown -a values
}
if [[ $funcstack[1] == _tokenbook ]]; then
    _tokenbook
else
    compdef _tokenbook tokenbook
fi
`;

const FISH = `# fish completion for tokenbook
function __tokenbook_complete
    tokenbook complete -- (commandline -cp | string collect) 2>/dev/null
end
complete -c tokenbook -e
complete -c tokenbook -f -a '(__tokenbook_complete)'
`;

const POWERSHELL = `# PowerShell completion for tokenbook
Register-ArgumentCompleter -Native -CommandName tokenbook -ScriptBlock {
    param($word, $command, $cursor)
    [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
    $length = $cursor - $command.Extent.StartOffset
    $line = $command.Extent.Text.PadRight($length).Substring(0, $length)
    & tokenbook complete '--' $line 2>$null | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        $text = $value
        if ($value -notmatch '^[\\w./:=%+-]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
}
`;

/**
 * Returns the script that a shell loads for completion. The script passes us the line up to the cursor as one word and offers the words that we print. No shell
 * evaluates either of them, because both may contain names that somebody else has chosen.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
