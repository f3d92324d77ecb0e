/** What can be wrong with a playbook whose text, shape and expressions are right. */
export const RECONCILE_CODES = {
  "playbook.reconcile-key": {
    severity: "error",
    title: "the keys of two sides are not made of the same parts",
    meaning:
      "Rows of both sides are found by their keys, so both keys have the same parts, by name. `map` and `totals` name parts of the key too.",
    cure: "Give both sides a key with the same parts, such as { holder: …, token: … }.",
    example: "reconcile-other-key",
  },
  "playbook.reconcile-mode": {
    severity: "error",
    title: "a comparison in a playbook that may write",
    meaning: "A reconciliation never repairs what it finds, and that it writes nothing is proved before its first request.",
    cure: "Write `mode: read-only` at the head of the playbook, and what writes into another one.",
    example: "reconcile-may-write",
  },
  "playbook.reconcile-sides": {
    severity: "error",
    title: "a comparison lacks a side, or what a side is to give",
    meaning:
      "A comparison has a left and a right side, or `conserve`. A side has rows that are read, or given; and where one side has a value, the other has one to hold against it.",
    cure: "Write left: and right:, each with read: or rows:, and both with a value: or both without.",
    example: "reconcile-one-side",
  },
} as const;
