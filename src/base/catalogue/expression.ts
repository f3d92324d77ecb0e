/** The catalogue of mistakes in an expression. */
export const EXPRESSION_CODES = {
  "expression.cut-off": {
    title: "YAML has split an expression at a comma",
    meaning:
      "Between [ ] YAML begins a new item at each comma, even inside the parentheses of an expression. Only half an expression is left.",
    cure: "Quote the whole expression, or write the list with one item a line, each after a dash.",
    example: "expect-split-by-comma",
  },
  "expression.date": {
    title: "a text is not a date",
    meaning:
      "The function takes a date such as 2026-01-31, or a date with a time and a zone such as 2026-01-31T09:30:00Z. This text is neither, so the expression could never have a value.",
    cure: "Write the date in the form of ISO 8601, with a zone where there is a time.",
    example: "date-literal",
  },
  "expression.date-as-text": {
    title: "a date is compared as a text",
    meaning:
      "A date of an input, or `run.startedAt`, is a text that may have several spellings: 2026-01-31 and 2026-01-31T01:00:00+01:00 are the same time. Texts are compared letter by letter, so the result could be wrong.",
    cure: "Write date(…) around both sides: date(inputs.from) < date(response.createdAt).",
    example: "date-compared-as-text",
  },
  "expression.duration": {
    title: "a text is not a duration",
    meaning:
      "`duration` takes numbers with the units h, m, s, ms, us and ns, one after the other, such as 1h30m. This text is not such a duration, so the expression could never have a value.",
    cure: "Write days as hours: 24h is one day.",
    example: "duration-literal",
  },
  "expression.ill-typed": {
    title: "the types in an expression do not match",
    meaning:
      "An operator or a function is used with types that it does not take, such as a number compared with a text, or a text used as a condition. Nothing is converted silently, so the comparison could never hold.",
    cure: "Remove the quotes of a number, write decimal(…) around a text that holds one, or compare things of the same kind.",
    example: "number-compared-with-text",
  },
  "expression.in-identity": {
    title: "an identity holds an expression",
    meaning:
      "An entity or a credential in `actors` or in `as` is taken as it is written, so the service would see the letters of the expression.",
    cure: 'Write one expression that gives the whole entity: as: "${{ member }}".',
    example: "expression-in-identity",
  },
  "expression.in-key": {
    title: "a key of a map holds an expression",
    meaning:
      "The keys of a map are fixed; only its values may be expressions. This key would be sent as it is written, with its braces.",
    cure: "Write the whole map as one expression, which may compute its keys: data: '${{ {\"k\" + run.key: 2} }}'",
    example: "expression-in-key",
  },
  "expression.inexact": {
    title: "a number that would be rounded",
    meaning:
      "Numbers are exact here, both whole numbers and decimals. CEL's `double` and its `json` function lose digits silently. Its unsigned numbers, `uint` and 5u, do not mix with any other. No number that tokenbook reads has CEL's type `int`, `uint` or `double`.",
    cure: "Write decimal(…) around a text that holds a number, or int(…) if it must be a whole number.",
    example: "double",
  },
  "expression.map-key": {
    title: "a map in an expression would lose a field",
    meaning:
      "The map in the expression has a key twice, and only one could count; or it has a key that no JSON here may have: `__proto__`, `constructor` and `prototype` reach into the runtime's own objects.",
    cure: "Keep one of the two, or rename the key.",
    example: "map-key-twice",
  },
  "expression.mixed-ids": {
    title: "an id of the wrong kind",
    meaning:
      "Assets, tokens, vaults, accounts, requests, transactions, receipts and sales each have ids of their own. This id names another kind of thing than the field needs, or than the value it is compared with. The service would find nothing under it, and the comparison could never hold.",
    cure: "Use the id of the right thing. A computed text, or an input, fits everywhere; a step with `fails` may be given any id.",
    example: "vault-id-for-token",
  },
  "expression.no-json": {
    title: "an expression gives a value that JSON cannot hold",
    meaning: "The value, such as a timestamp or a duration, has no form in JSON, so it can neither be sent nor reported.",
    cure: "Keep points in time as text, or compare inside the expression and give true or false.",
    example: "timestamp-in-output",
  },
  "expression.no-such-value": {
    title: "a text is compared with a value that it never has",
    meaning:
      "The outcome of a step, and an input with an `enum`, is one of a few texts, and this is not one of them. With == the condition would never hold; with != it would always hold, and prove nothing. Other steps see that a step has failed only if it is in a block: after any other step that failed, nothing runs.",
    cure: "Write one of the values that the message lists.",
    example: "no-such-value",
  },
  "expression.not-bare": {
    title: "${{ }} is written where an expression is expected anyway",
    meaning:
      "`if`, `expect`, `until` and `key` are expressions by themselves. With ${{ }} around it, the expression would be a text.",
    cure: "Write the expression alone: if: inputs.go",
    example: "braces-in-bare",
  },
  "expression.not-read": {
    title: "an expression where plain text is expected",
    meaning:
      "A name, a path, a query, a pattern, and the default of an input or a variable are taken as they are written. The letters of this expression would be shown, searched or sent.",
    cure: "Write the text itself. A value that changes from run to run is an input: the command gives it, with --input or --inputs.",
    example: "expression-in-default",
  },
  "expression.number": {
    title: "a text is not a number",
    meaning:
      "`decimal` takes a text that holds a number: digits and a point, without a thousands separator. `int` takes a text that holds a whole number. This text holds no such number, so the expression could never have a value.",
    cure: "Write the number without quotes, and without `decimal` or `int`.",
    example: "decimal-literal",
  },
  "expression.number-as-text": {
    severity: "warning",
    title: "a number in quotes is put in order as a text",
    meaning:
      'The operators < <= > >= put texts in order letter by letter, so "9" is more than "100". A text that holds a number, such as a value of free-form data, would pass or fail by its first digits.',
    cure: "Write decimal(…) around the text, and the number without quotes: decimal(row.totalValue) > 100. For dates write date(…) around both sides.",
    example: "number-as-text",
  },
  "expression.pattern": {
    title: "a pattern cannot be used",
    meaning:
      "`re2` takes a regular expression of RE2, which has neither backreferences nor looking ahead or behind. This one cannot be read, so the expression could never have a value.",
    cure: "Fix the pattern at the part that the message names. https://github.com/google/re2/wiki/Syntax lists all that a pattern may have.",
    example: "pattern-literal",
  },
  "expression.runaway-pattern": {
    title: "`matches` is not available",
    meaning:
      "A regular expression such as (a+)+$ can keep `matches` busy for minutes over a short text, and the text comes from a service.",
    cure: 'Write re2(text, "pattern"): its time grows only with the length of the text.',
    example: "matches",
  },
  "expression.syntax": {
    title: "an expression cannot be read",
    meaning: "The text is not a CEL expression: it ends too early, or uses operators of another language.",
    cure: "Use && || ! == != < <= > >= + - * / and quotes around texts. https://cel.dev describes the whole language.",
    example: "word-for-an-operator",
  },
  "expression.too-complex": {
    title: "an expression asks for too much work",
    meaning:
      "Nested `map`, `filter`, `exists` and `all` multiply their work, nested brackets exhaust the parser, and long lists belong in files. Each has a limit, so that every expression ends in time.",
    cure: "Compute the inner list in a step of its own, or split the expression.",
    example: "nested-comprehensions",
  },
  "expression.too-long": {
    title: "an expression is too long",
    meaning: "An expression is read up to a limit, and this one is longer.",
    cure: "Split it into several items of `expect`, or values that are given as inputs.",
    example: "expression-too-long",
  },
  "expression.unclosed": {
    title: "a ${{ has no }}",
    meaning: "An expression in a text is opened but not closed. Often YAML has split it at a comma, between [ ] or { }.",
    cure: "Close it with }}, and put the text in quotes.",
    example: "unclosed",
  },
  "expression.unknown-field": {
    title: "an unknown field",
    meaning:
      "Inputs, actors, steps and the answers of the service have known fields, and this is not one of them. The expression would fail in the middle of a run.",
    cure: "Use the suggested field, or one that the message lists. `tokenbook operations NAME` shows what a step yields.",
    example: "unknown-response-field",
  },
  "expression.unknown-name": {
    title: "an unknown name",
    meaning:
      "Expressions can use inputs, steps, actors and run, and the item name of their foreach. A step's own conditions can also use response. The known names depend on the place.",
    cure: "Use the suggested name. Declare what the playbook needs from outside under `inputs:`.",
    example: "unknown-name",
  },
  "expression.wrong-type": {
    title: "an expression gives the wrong kind of value for its place",
    meaning:
      "The expression is correct, but its value does not fit here: a text instead of a number, an object inside a text, a list for one actor, or a condition that is neither true nor false.",
    cure: "Use the field of it that you need, one item of the list, or decimal(…) around a text that holds a number.",
    example: "expression-text-where-number",
  },
} as const;
