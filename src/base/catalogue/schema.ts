/** The catalogue of mistakes in the shape of a playbook, of an operation's input, of `tokenbook.yaml`, or of a file for the sandbox. */
export const SCHEMA_CODES = {
  "schema.missing-field": {
    title: "a field is missing",
    meaning: "A required field is missing. It is reported at the beginning of the map that lacks it.",
    cure: "Add the field. `tokenbook operations NAME` shows which fields of an operation's input are required, with an example.",
    example: "missing-required-field",
  },
  "schema.name": {
    title: "a name cannot be used",
    meaning:
      "Expressions use inputs, actors and outputs by name. So a name has letters, digits and _, begins with a small letter, and is not a reserved word of expressions. Names of env and secrets may begin with a capital or _.",
    cure: "Choose another name: `theIssuer` or `the_issuer` instead of `The Issuer`.",
    example: "actor-bad-name",
  },
  "schema.pattern": {
    title: "a text does not have the right form",
    meaning:
      "This field takes only texts of a certain form: an id, a duration such as 30s, an entity such as userId:alice, an address.",
    cure: "Write it in the form that the message shows.",
    example: "bad-duration",
  },
  "schema.range": {
    title: "a number is too small or too large",
    meaning: "The number is outside of the allowed range.",
    cure: "Use a number within the limit that the message names.",
    example: "pages-zero",
  },
  "schema.size": {
    title: "a list, map or text has too few or too many parts",
    meaning: "An empty list or map is often a slip: a check that is never made, or a call that does nothing.",
    cure: "Fill it up to the number that the message names, or delete the field if it is optional.",
    example: "steps-empty",
  },
  "schema.type": {
    title: "a value of the wrong kind",
    meaning:
      "The value has another type than the field, such as a text instead of a number, or a list instead of a map. Nothing is converted silently; only a quoted number may be used as a number.",
    cure: "Write a value of the kind that the message names. `tokenbook operations NAME` shows an example for an operation's input.",
    example: "text-where-number",
  },
  "schema.unknown-field": {
    title: "an unknown field",
    meaning:
      "The key means nothing here: it is misspelt, indented to the wrong depth, or belongs to another operation. A less strict service would ignore it silently.",
    cure: "Use the suggested field, or one that the message lists.",
    example: "field-misspelt-deep",
  },
  "schema.value": {
    title: "a value that is not allowed",
    meaning: "Only certain words or numbers are allowed here.",
    cure: "Use one of the values that the message lists.",
    example: "wrong-enum",
  },
} as const;
