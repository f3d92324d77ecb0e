/** The catalogue of findings about a document of another standard. */
export const INTERCHANGE_CODES = {
  "interchange.refused": {
    title: "a document asks for something that cannot be translated",
    meaning:
      "An Arazzo document is translated to a playbook, and run as one. This part has no counterpart there, or could send a write twice, so nothing of the document is run.",
    cure: "Write this part in another way, or leave it out; docs/arazzo.md lists what is translated.",
    example: "arazzo-refused",
  },
  "interchange.lost": {
    title: "the translation would do less than the original",
    meaning:
      "The other language cannot say this. `tokenbook convert` translates the rest and exits with 1, or with 0 if you accept the loss; `tokenbook run` refuses the document.",
    cure: "Read what is lost; then `tokenbook convert FROM TO --accept-loss`, and check the result.",
    example: "arazzo-lost",
  },
  "interchange.stricter": {
    severity: "warning",
    title: "the translation is stricter or safer than the original",
    meaning:
      "Arazzo compares texts without regard to case, and repeats a request that failed. tokenbook compares exactly, and never sends a write again while an earlier attempt may have taken effect.",
    cure: "Nothing must be done. If a comparison now fails, write the text as the service spells it.",
    example: "arazzo-stricter",
  },
} as const;
