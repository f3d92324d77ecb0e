/** What can be wrong with the shape of a playbook, of an operation's input, or of `tokenbook.yaml`. */
export const SCHEMA_CODES = {
  "schema.missing-field": {
    severity: "error",
    title: "a field is missing",
    meaning: "A field that must be there is not. It is reported where the map begins that lacks it.",
    cure: "Add the field. `tokenbook operations NAME` shows which fields of an operation's input are required, with an example.",
    example: "missing-required-field",
  },
  "schema.name": {
    severity: "error",
    title: "a name cannot be used",
    meaning:
      "Inputs, actors and outputs are used by name in expressions, so a name is letters, digits and _, begins with a small letter, and is no word that expressions keep for themselves. Names of env and secrets may begin with a capital or _.",
    cure: "Choose another name: `theIssuer` or `the_issuer` instead of `The Issuer`.",
    example: "actor-bad-name",
  },
  "schema.pattern": {
    severity: "error",
    title: "a text does not have the right form",
    meaning:
      "The text stands where only texts of a certain form may: an id, a duration such as 30s, an entity such as userId:alice, an address.",
    cure: "Write it in the form that the message shows.",
    example: "bad-duration",
  },
  "schema.range": {
    severity: "error",
    title: "a number is too small or too large",
    meaning: "The number lies outside of what the place allows.",
    cure: "Take a number within the limit that the message names.",
    example: "pages-zero",
  },
  "schema.size": {
    severity: "error",
    title: "a list, map or text has too few or too many parts",
    meaning: "An empty list or map often is a slip: it would mean a check that is never made, or a call that does nothing.",
    cure: "Fill it up to the number that the message names, or delete the field where it may be left out.",
    example: "steps-empty",
  },
  "schema.type": {
    severity: "error",
    title: "a value of the wrong kind",
    meaning:
      "A text stands where a number belongs, a list where a map does, or the like. Nothing is converted silently; only a quoted number may stand for a number.",
    cure: "Write a value of the kind that the message names. `tokenbook operations NAME` shows an example for an operation's input.",
    example: "text-where-number",
  },
  "schema.unknown-field": {
    severity: "error",
    title: "a field that is not known here",
    meaning:
      "The key means nothing at this place: it is misspelt, or indented to the wrong depth, or belongs to another operation. It would be ignored silently by a service that is less strict.",
    cure: "Take the field that is suggested, or one of those that the message lists.",
    example: "field-misspelt-deep",
  },
  "schema.value": {
    severity: "error",
    title: "a value that is not one of those allowed",
    meaning: "Only certain words or numbers can stand here.",
    cure: "Take one of those that the message lists.",
    example: "wrong-enum",
  },
} as const;
