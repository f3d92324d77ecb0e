/** What is wrong with the `inputs` that a playbook declares, and with the files of data that they name. */
export const INPUT_CODES = {
  "playbook.input-bound": {
    severity: "error",
    title: "a bound of an input is no bound",
    meaning:
      "The bounds of a number are numbers, those of a date are dates, and the lower one must not be above the higher: otherwise no value could ever be given.",
    cure: "Write bounds of the input's own type, the lesser as the minimum.",
    example: "input-bounds-crossed",
  },
  "playbook.input-content": {
    severity: "error",
    title: "the content of an input's file is wrong",
    meaning: "The file that is the input's default was read, and what it holds is not what the declaration or the schema says.",
    cure: "Mend the file at the line, row or field that the message names, or the declaration, if the file is right.",
    example: "file-csv-wrong-cells",
  },
  "playbook.input-csv": {
    severity: "error",
    title: "a table is declared as something else than rows of plain values",
    meaning:
      "A CSV file is a list of records, and a cell holds one text, number, date or entity. Lists and objects have no place in it.",
    cure: "Declare items: { type: object, properties: { … } } with plain types, or take JSON or YAML.",
    example: "file-csv-cell-type",
  },
  "playbook.input-default": {
    severity: "error",
    title: "the default of an input breaks the input's own rules",
    meaning:
      "The default is no value of the declared type, or lies outside of its limits, pattern or choices. Every run without that input would fail.",
    cure: "Correct the default, or the rule.",
    example: "default-below-minimum",
  },
  "playbook.input-enum": {
    severity: "error",
    title: "a choice of an input breaks the input's own rules",
    meaning: "One of the values under `enum` is no value of the declared type, so nobody could ever choose it.",
    cure: "Correct the choice, or the type.",
    example: "choice-of-another-type",
  },
  "playbook.input-file": {
    severity: "error",
    title: "a file that an input names cannot be read",
    meaning:
      "The file of a default, or of a schema, is not there, is no text, is larger than a file may be, or is none that a playbook may name: it lies outside of the project, is hidden, or is a file of settings such as .env. A check prints what is wrong in a file.",
    cure: "Write the path relative to the playbook that names it, and save the file in UTF-8. Give a file from outside of the project yourself: --input NAME=FILE.",
    example: "file-missing",
  },
  "playbook.input-format": {
    severity: "error",
    title: "nothing tells the format of a file",
    meaning: "A file is read as JSON, YAML or CSV by its extension, and this path has none of theirs.",
    cure: "Add format: json, yaml or csv.",
    example: "file-without-format",
  },
  "playbook.input-pattern": {
    severity: "error",
    title: "the pattern of an input cannot be used",
    meaning: "Patterns are RE2, which ends in time for every text: it has no look-around and no back-references.",
    cure: "Write the pattern without them, or state the rule as an `expect` of the first step.",
    example: "bad-pattern",
  },
  "playbook.input-required": {
    severity: "error",
    title: "a field is required that is not declared",
    meaning: "`required` names fields of `properties`, and this is none of them, so no value could ever be given.",
    cure: "Take the name that is suggested, or declare the field.",
    example: "input-required-unknown",
  },
  "playbook.input-rule": {
    severity: "error",
    title: "a rule says nothing about an input of this type",
    meaning: "`minimum` and `maximum` are for numbers, `pattern` is for text. On another type the rule would never be checked.",
    cure: "Delete the rule, or correct the type.",
    example: "minimum-on-text",
  },
  "playbook.input-schema": {
    severity: "error",
    title: "the JSON Schema of an input cannot be used",
    meaning:
      "The schema is no JSON Schema of the draft 2020-12, holds a pattern that RE2 does not know, or refers to what is not there.",
    cure: "Mend the schema at the place that the message names.",
    example: "file-schema-wrong",
  },
  "playbook.input-unique": {
    severity: "error",
    title: "items are to differ in a field that they do not have",
    meaning: "`unique` names a field of the items, and this is none of them.",
    cure: "Take the name that is suggested, or write unique: true, for whole items that differ.",
    example: "input-unique-unknown-field",
  },
} as const;
