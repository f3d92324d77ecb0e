/** The catalogue of mistakes in the comparisons of a playbook. */
export const RECONCILE_CODES = {
  "playbook.once-without-row": {
    severity: "warning",
    title: "`once` of a side does not read its rows",
    meaning:
      "`once` identifies the record of a row, so that a record that is listed several times counts once. If `once` does not read the row, all rows with the same key and value are the same record to it. They count once, and the comparison leaves out what the others add.",
    cure: "Use a field of the row that identifies its record: once: row.id.",
    example: "reconcile-once-without-row",
  },
  "playbook.reconcile-key": {
    title: "the keys of two sides have different parts",
    meaning:
      "Rows of both sides are matched by their keys, so both keys need the same parts, by name. `map` and `totals` also name parts of the key.",
    cure: "Give both sides a key with the same parts, such as { holder: …, token: … }.",
    example: "reconcile-other-key",
  },
  "playbook.reconcile-mode": {
    title: "a comparison in a playbook that may write",
    meaning: "A reconciliation never repairs what it finds. The check proves that it writes nothing before the first request.",
    cure: "Write `mode: read-only` at the head of the playbook, and move writes to another one.",
    example: "reconcile-may-write",
  },
  "playbook.reconcile-rows": {
    title: "the place of a side's rows is not complete, or there are several",
    meaning:
      "Rows from outside of the service are in one place: a file, a database or an API. A database needs a `query`. The address of a database or an API is in a variable. `headers`, `each` and `next` belong to an API.",
    cure: "Name one place, with the keywords that belong to it.",
    example: "reconcile-rows-without-query",
  },
  "playbook.reconcile-same": {
    severity: "warning",
    title: "the two sides of a comparison cannot differ",
    meaning:
      "Both sides read the same rows and compare the same values, perhaps because one side was copied and not edited. Or both values are fixed numbers, which do not depend on a row. Such a comparison finds no drift whatever the rows are, and proves nothing.",
    cure: "Let the two sides read different things, and take each value from the rows, such as row.balance.",
    example: "reconcile-same-side",
  },
  "playbook.reconcile-sides": {
    title: "a comparison lacks a side, or a side lacks its rows or values",
    meaning:
      "A comparison has a left and a right side, or `conserve`. A side has rows that are read, or given. If one side has a value, the other side needs a value to compare it with.",
    cure: "Write left: and right:, each with read: or rows:, and both with a value: or both without.",
    example: "reconcile-one-side",
  },
} as const;
