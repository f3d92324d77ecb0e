/** What can be wrong with a file before it is looked at as a playbook. */
export const SOURCE_CODES = {
  "source.alias": {
    severity: "error",
    title: "an alias is used",
    meaning:
      "`*name` repeats what an anchor names elsewhere. A few aliases of aliases make a small file expand to gigabytes, so none is read.",
    cure: "Write the value out where it is needed, or make it an input or an actor and use that by name.",
    example: "alias",
  },
  "source.control-character": {
    severity: "error",
    title: "a control character stands in the text",
    meaning:
      "The file holds a character that no editor shows, such as NUL or a byte order mark in the middle. What looks right is not what is read.",
    cure: 'Delete the character. Where it is really meant, write it as an escape inside double quotes: "\\u0007".',
    example: "control-character",
  },
  "source.directive": {
    severity: "error",
    title: "a YAML directive is used",
    meaning: "A line that begins with % would change how the file is read. Files are always read as YAML 1.2.",
    cure: "Delete the line, and the `---` below it if there is one.",
    example: "directive",
  },
  "source.duplicate-key": {
    severity: "error",
    title: "a key stands twice in one map",
    meaning: "Of two equal keys in one map only one could count, and readers of YAML do not agree which.",
    cure: "Keep one of the two. Two steps are two items of a list, each with a dash of its own.",
    example: "duplicate-key",
  },
  "source.empty": {
    severity: "error",
    title: "the file is empty",
    meaning: "The file holds nothing but blank lines and comments.",
    cure: "Write a playbook into it: `tokenbook new playbook FILE --uses OPERATION` makes one to begin with.",
    example: "empty",
  },
  "source.forbidden-key": {
    severity: "error",
    title: "a key reaches into the runtime",
    meaning:
      "`__proto__`, `constructor` and `prototype` are names of JavaScript's own insides. A text that sets them could change how the program works.",
    cure: "Give the key another name.",
    example: "forbidden-key",
  },
  "source.number": {
    severity: "error",
    title: "a number is not written as a plain decimal",
    meaning:
      "Numbers are exact here: digits, a point, an exponent, up to a number of digits that no quantity has. Hexadecimal, octal, infinity, a leading + or a leading zero are read differently by different readers.",
    cure: "Write the number out in digits. Quote it if it is a text, such as an address or an account number.",
    example: "hexadecimal-number",
  },
  "source.space": {
    severity: "error",
    title: "a space that is none to YAML",
    meaning:
      "Texts that are copied from a page or a document bring other characters along that look like a space, such as the non-breaking one, or like nothing. YAML takes them for a part of a text, so that a key or a value is not what it looks like.",
    cure: "Replace them by plain spaces. A text that is to begin or end with one stands in quotes.",
    example: "foreign-space",
  },
  "source.syntax": {
    severity: "error",
    title: "the text is no YAML",
    meaning:
      "The file cannot be read as YAML 1.2: indentation that does not line up, a tab, a stray bracket, or an expression whose { YAML takes for its own.",
    cure: 'Mend the place that is marked; what stands behind it was not looked at. Indent with spaces, and quote each expression: "${{ … }}".',
    example: "unquoted-expression",
  },
  "source.tag": {
    severity: "error",
    title: "a YAML tag is used",
    meaning:
      "`!tag` would change what the value behind it is. Here a value is what it looks like. An expression that begins with ! is read as a tag too.",
    cure: 'Delete the tag, and quote what is to be text. Quote an expression that begins with a negation: if: "!inputs.go".',
    example: "negation-read-as-tag",
  },
  "source.too-deep": {
    severity: "error",
    title: "the text is nested too deeply",
    meaning:
      "Brackets or blocks stand inside one another deeper than the limit. A text this deep can exhaust the parser, so it is refused before it is read.",
    cure: "Look for a bracket that is never closed. Data this deep belongs into a file that is given as an input.",
    example: "deep-brackets",
  },
  "source.too-large": {
    severity: "error",
    title: "the file is too large",
    meaning: "A file is read up to a limit, and this one is larger: a playbook is written by people, for people.",
    cure: "Split it into several playbooks, or move its data into a file for `--inputs`.",
    example: "too-large",
  },
  "source.two-documents": {
    severity: "error",
    title: "the file holds a second document",
    meaning:
      "Behind `---` or `...` a second YAML document begins. One file is one playbook; the second one would be left out without a word.",
    cure: "Move it to a file of its own; `tokenbook run` takes several files, or a folder of them.",
    example: "two-documents",
  },
  "source.unclosed": {
    severity: "error",
    title: "a bracket or a quote is not closed",
    meaning: "What opens at the marked place is open still at the end of the file, or at the end of what could belong to it.",
    cure: "Close it. Where a list or a map goes over several lines, indent what stands inside.",
    example: "unclosed-quote",
  },
} as const;
