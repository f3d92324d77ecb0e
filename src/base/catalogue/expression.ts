/** What can be wrong with an expression. */
export const EXPRESSION_CODES = {
  "expression.cut-off": {
    severity: "error",
    title: "YAML has split an expression at a comma",
    meaning:
      "Between [ ] a comma begins a new item, also one that stands inside the parentheses of an expression. What is left is half an expression.",
    cure: "Quote the whole expression, or write the list with one item a line, each behind a dash.",
    example: "expect-split-by-comma",
  },
  "expression.date": {
    severity: "error",
    title: "a text that is written out is no date",
    meaning:
      "The function takes a date such as 2026-01-31, or a date with a time and a zone such as 2026-01-31T09:30:00Z. This text is neither, so the expression could never have a value.",
    cure: "Write the date in the form of ISO 8601, with a zone where there is a time.",
    example: "date-literal",
  },
  "expression.duration": {
    severity: "error",
    title: "a text that is written out is no duration",
    meaning:
      "`duration` takes numbers with the units h, m, s, ms, us and ns, one behind the other, such as 1h30m. This text is none, so the expression could never have a value.",
    cure: "Write days as hours: 24h is one day.",
    example: "duration-literal",
  },
  "expression.ill-typed": {
    severity: "error",
    title: "the parts of an expression do not go together",
    meaning:
      "An operator or a function is used with types that it does not take: a number compared with a text, a text used as a condition. Nothing is converted silently, so the comparison could never hold.",
    cure: "Drop the quotes of a number, write decimal(…) around a text that holds one, or compare things of the same kind.",
    example: "number-compared-with-text",
  },
  "expression.in-key": {
    severity: "error",
    title: "a key of a map holds an expression",
    meaning:
      "The keys of a map are fixed, and expressions stand in its values alone. This key would be sent as it is written, with its braces.",
    cure: "Give the whole map by one expression, whose keys may be computed: data: '${{ {\"k\" + run.key: 2} }}'",
    example: "expression-in-key",
  },
  "expression.inexact": {
    severity: "error",
    title: "a number that would be rounded",
    meaning:
      "Numbers are exact here, whole ones and decimals alike. CEL's `double` and what `json` reads lose digits in silence, and its numbers without a sign, `uint` and 5u, do not mix with any other.",
    cure: "Write decimal(…) around a text that holds a number, int(…) where it is to be a whole one.",
    example: "double",
  },
  "expression.map-key": {
    severity: "error",
    title: "a map in an expression would lose a field",
    meaning:
      "The map that the expression writes out has a key twice, of which only one could count, or a key that no JSON here may have: `__proto__`, `constructor` and `prototype` reach into the runtime's own objects.",
    cure: "Keep one of the two, or give the key another name.",
    example: "map-key-twice",
  },
  "expression.mixed-ids": {
    severity: "error",
    title: "the id of one kind of thing stands for another kind",
    meaning:
      "Assets, tokens, vaults, accounts, requests, transactions, receipts and sales each have ids of their own. This one is known to name a thing of another kind than the place wants, or than what it is compared with: the service would find nothing under it, and the comparison could never hold.",
    cure: "Take the id of the thing that is meant. A text that is put together, or given as an input, fits everywhere; a step with `fails` may be given any id.",
    example: "vault-id-for-token",
  },
  "expression.no-json": {
    severity: "error",
    title: "an expression gives what no JSON can hold",
    meaning: "The value, such as a timestamp or a duration, has no form in JSON, so it can neither be sent nor reported.",
    cure: "Keep points in time as text, or compare inside the expression and give true or false.",
    example: "timestamp-in-output",
  },
  "expression.not-bare": {
    severity: "error",
    title: "${{ }} stands where an expression is expected anyway",
    meaning:
      "`if`, `expect`, `until` and `key` are expressions by themselves. With ${{ }} around it, the expression would be a text.",
    cure: "Write the expression alone: if: inputs.go",
    example: "braces-in-bare",
  },
  "expression.number": {
    severity: "error",
    title: "a text that is written out is no number",
    meaning:
      "`decimal` takes a text that holds a number: digits and a point, with no separator of thousands; `int` takes one that holds a whole number. This one holds none, so the expression could never have a value.",
    cure: "Write the number without quotes, and without `decimal` or `int`.",
    example: "decimal-literal",
  },
  "expression.pattern": {
    severity: "error",
    title: "a pattern that is written out cannot be used",
    meaning:
      "`re2` takes a regular expression of RE2, which has neither backreferences nor looking ahead or behind. This one cannot be read, so the expression could never have a value.",
    cure: "Mend the pattern at what the message names: https://github.com/google/re2/wiki/Syntax has all that may stand in one.",
    example: "pattern-literal",
  },
  "expression.runaway-pattern": {
    severity: "error",
    title: "`matches` is not available",
    meaning:
      "A regular expression such as (a+)+$ can keep `matches` busy for minutes over a short text, and the text comes from a service.",
    cure: 'Write re2(text, "pattern"): its time grows with the length of the text and no faster.',
    example: "matches",
  },
  "expression.syntax": {
    severity: "error",
    title: "an expression cannot be read",
    meaning: "The text is no CEL expression: it ends too early, or uses another language's operators.",
    cure: "Use && || ! == != < <= > >= + - * / and quotes around texts. https://cel.dev tells the whole language.",
    example: "word-for-an-operator",
  },
  "expression.too-complex": {
    severity: "error",
    title: "an expression asks for too much work",
    meaning:
      "`map`, `filter`, `exists` and `all` inside one another multiply their work, brackets inside one another exhaust the parser, and long lists belong in files. Each has a limit, so that every expression ends in time.",
    cure: "Compute the inner list in a step of its own, or take the expression apart.",
    example: "nested-comprehensions",
  },
  "expression.too-long": {
    severity: "error",
    title: "an expression is too long",
    meaning: "An expression is read up to a limit, and this one is longer.",
    cure: "Take it apart: several items of `expect`, or values that are given as inputs.",
    example: "expression-too-long",
  },
  "expression.unclosed": {
    severity: "error",
    title: "a ${{ has no }}",
    meaning: "An expression inside a text is opened and not closed. Often YAML has split it at a comma, between [ ] or { }.",
    cure: "Close it with }}, and put the text in quotes.",
    example: "unclosed",
  },
  "expression.unknown-field": {
    severity: "error",
    title: "a field that is not there",
    meaning:
      "The inputs, actors and steps, and the answers of the service, have known fields, and this is none of them. In a run it would be an error in the middle of the work.",
    cure: "Take the field that is suggested, or one of those that the message lists. `tokenbook operations NAME` shows what a step yields.",
    example: "unknown-response-field",
  },
  "expression.unknown-name": {
    severity: "error",
    title: "a name that means nothing here",
    meaning:
      "An expression can use inputs, steps, actors and run, the name of its foreach, and in a step's own conditions response. Which of them are known depends on the place.",
    cure: "Take the name that is suggested. What the playbook needs from outside is declared under `inputs:`.",
    example: "unknown-name",
  },
  "expression.wrong-type": {
    severity: "error",
    title: "an expression gives the wrong kind of value for its place",
    meaning:
      "The expression is right in itself, but its value cannot stand here: a text where a number belongs, an object inside a text, a list for one actor, a condition that is neither true nor false.",
    cure: "Take the field of it that is meant, one item of the list, or decimal(…) around a text that holds a number.",
    example: "expression-text-where-number",
  },
} as const;
