/** The catalogue of mistakes in the `inputs` that a playbook declares, and in the data files that they name. */
export const INPUT_CODES = {
  "playbook.input-bound": {
    title: "a bound of an input is not valid",
    meaning:
      "A number has numbers as bounds, a date has dates, and the lower bound must not be above the higher one. Otherwise no value could ever be valid.",
    cure: "Write bounds of the input's own type, the lower one as the minimum.",
    example: "input-bounds-crossed",
  },
  "playbook.input-content": {
    title: "the content of an input's file is wrong",
    meaning: "The file that is the input's default does not hold what the declaration or the schema requires.",
    cure: "Fix the file at the line, row or field that the message names. If the file is right, fix the declaration.",
    example: "file-csv-wrong-cells",
  },
  "playbook.input-csv": {
    title: "a table is declared as something other than rows of plain values",
    meaning:
      "A CSV file is a list of records, and each cell holds one text, number, date or entity. It cannot hold lists or objects.",
    cure: "Declare items: { type: object, properties: { … } } with plain types, or use JSON or YAML.",
    example: "file-csv-cell-type",
  },
  "playbook.input-default": {
    title: "the default of an input breaks the input's own rules",
    meaning:
      "The default is not of the declared type, or breaks its limits, pattern or choices. Every run without that input would fail.",
    cure: "Correct the default, or the rule.",
    example: "default-below-minimum",
  },
  "playbook.input-enum": {
    title: "a choice of an input breaks the input's own rules",
    meaning: "One of the values under `enum` is not of the declared type, so nobody could ever choose it.",
    cure: "Correct the choice, or the type.",
    example: "choice-of-another-type",
  },
  "playbook.input-file": {
    title: "a file that an input names cannot be read",
    meaning:
      "The file of a default or a schema does not exist, is not text, or is too large. Or a playbook may not name it, because it lies outside of the project, is hidden, or is a file of settings such as .env. A check prints what is wrong in a file.",
    cure: "Write the path relative to the playbook that names it, and save the file in UTF-8. Give a file from outside of the project yourself: --input NAME=FILE.",
    example: "file-missing",
  },
  "playbook.input-format": {
    title: "the format of a file is unknown",
    meaning:
      "The extension of a file decides whether it is read as JSON, YAML or CSV, and this path has none of these extensions.",
    cure: "Add format: json, yaml or csv.",
    example: "file-without-format",
  },
  "playbook.input-pattern": {
    title: "the pattern of an input cannot be used",
    meaning: "Patterns are RE2, which takes little time for every text: it has no look-around and no back-references.",
    cure: "Write the pattern without them, or state the rule as an `expect` of the first step.",
    example: "bad-pattern",
  },
  "playbook.input-required": {
    title: "a required field is not declared",
    meaning: "`required` names fields of `properties`, and this is not one of them, so no value could ever be valid.",
    cure: "Use the suggested name, or declare the field.",
    example: "input-required-unknown",
  },
  "playbook.input-rule": {
    title: "a rule does not apply to an input of this type",
    meaning: "`minimum` and `maximum` are for numbers, `pattern` is for text. On another type the rule would never be checked.",
    cure: "Delete the rule, or correct the type.",
    example: "minimum-on-text",
  },
  "playbook.input-schema": {
    title: "the JSON Schema of an input cannot be used",
    meaning:
      "The schema is not valid JSON Schema (draft 2020-12), has a pattern that RE2 does not know, or refers to something that does not exist.",
    cure: "Fix the schema at the place that the message names.",
    example: "file-schema-wrong",
  },
  "playbook.input-unique": {
    title: "items must differ in a field that they do not have",
    meaning: "`unique` names a field of the items, and the items have no such field.",
    cure: "Use the suggested name, or write unique: true for whole items that differ.",
    example: "input-unique-unknown-field",
  },
} as const;
