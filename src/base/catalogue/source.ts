/** The catalogue of mistakes that prevent a file from being read as a playbook. */
export const SOURCE_CODES = {
  "source.alias": {
    title: "an alias is used",
    meaning:
      "`*name` repeats what an anchor names elsewhere. A few aliases of aliases make a small file expand to gigabytes, so aliases are not allowed.",
    cure: "Write the value where it is needed, or make it an input or an actor and use that by name.",
    example: "alias",
  },
  "source.control-character": {
    title: "a control character is in the text",
    meaning:
      "The file has a character that no editor shows, such as NUL or a byte order mark in the middle. What you see is not what is read.",
    cure: 'Delete the character. If you need it, write it as an escape inside double quotes: "\\u0007".',
    example: "control-character",
  },
  "source.directive": {
    title: "a YAML directive is used",
    meaning: "A line that begins with % would change how the file is read. tokenbook always reads files as YAML 1.2.",
    cure: "Delete the line, and the `---` below it if there is one.",
    example: "directive",
  },
  "source.duplicate-key": {
    title: "a key occurs twice in one map",
    meaning: "Only one of two equal keys in a map could count, and readers of YAML do not agree which.",
    cure: "Keep one of the two. Two steps are two items of a list, each with a dash of its own.",
    example: "duplicate-key",
  },
  "source.empty": {
    title: "the file is empty",
    meaning: "The file holds nothing but blank lines and comments.",
    cure: "Write a playbook into it: `tokenbook new playbook FILE --uses OPERATION` makes one to begin with.",
    example: "empty",
  },
  "source.forbidden-key": {
    title: "a key reaches into the runtime",
    meaning:
      "`__proto__`, `constructor` and `prototype` are internal names of JavaScript. A text that sets them could change how the program works.",
    cure: "Give the key another name.",
    example: "forbidden-key",
  },
  "source.number": {
    title: "a number is not a plain decimal",
    meaning:
      "Numbers are exact here: digits, a point, an exponent, and fewer digits than the limit. Hexadecimal, octal, infinity, a leading + or a leading zero mean different things to different readers.",
    cure: "Write the number in digits. Quote it if it is a text, such as an address or an account number.",
    example: "hexadecimal-number",
  },
  "source.space": {
    title: "a space that YAML does not treat as one",
    meaning:
      "Texts that are copied from a page or a document often hold invisible characters, or others that look like a space, such as the non-breaking one. YAML takes them as part of the text, so a key or a value is not what it looks like.",
    cure: "Replace them with plain spaces. Quote a text that must begin or end with one.",
    example: "foreign-space",
  },
  "source.syntax": {
    title: "the text is not valid YAML",
    meaning:
      "The file cannot be read as YAML 1.2: it has wrong indentation, a tab, a stray bracket, or an expression whose { YAML reads as its own.",
    cure: 'Fix the marked place; the text after it was not checked. Indent with spaces, and quote each expression: "${{ … }}".',
    example: "unquoted-expression",
  },
  "source.tag": {
    title: "a YAML tag is used",
    meaning:
      "`!tag` would change the value after it. Here a value is what it looks like. An expression that begins with ! is read as a tag too.",
    cure: 'Delete the tag, and quote what must be a text. Quote an expression that begins with a negation: if: "!inputs.go".',
    example: "negation-read-as-tag",
  },
  "source.too-deep": {
    title: "the text is nested too deeply",
    meaning:
      "Nested brackets or blocks go deeper than the limit. A text this deep can exhaust the parser, so it is refused before it is read.",
    cure: "Look for a bracket that is never closed. Data this deep belongs in a file that is given as an input.",
    example: "deep-brackets",
  },
  "source.too-large": {
    title: "the file is too large",
    meaning: "A file is read up to a limit, and this one is larger: playbooks are written by people, for people.",
    cure: "Split it into several playbooks, or move its data to a file for `--inputs`.",
    example: "too-large",
  },
  "source.two-documents": {
    title: "the file holds a second document",
    meaning:
      "A second YAML document begins after `---` or `...`. One file is one playbook; the second document would be ignored silently.",
    cure: "Move it to a file of its own; `tokenbook run` takes several files, or a folder of them.",
    example: "two-documents",
  },
  "source.unclosed": {
    title: "a bracket or a quote is not closed",
    meaning: "What opens at the marked place is not closed before the end of the file, or of the text that could belong to it.",
    cure: "Close it. If a list or a map spans several lines, indent its content.",
    example: "unclosed-quote",
  },
} as const;
