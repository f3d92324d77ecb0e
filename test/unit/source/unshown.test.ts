import { expect, test } from "vitest";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { parseUnshown } from "../../../src/source/unshown.ts";

const HEAD = "playbook: 1\n";
const BROKEN = "steps:\n- uses: a\n uses: b\n";

// In these texts every secret contains hunter…, and the diagnostics must not show it.
test.for<[string, string, string]>([
  ["a secret that is no text to YAML", `${HEAD}secrets:\n  PIN: @hunter2\n`, "source.syntax 3:8"],
  ["one that is taken for an alias", `${HEAD}secrets: { PIN: *hunter2 }\n`, "source.syntax 2:17"],
  ["one with a colon", `${HEAD}secrets:\n  PIN: hunter2: hunter3\n`, "source.syntax 3:15"],
  ["one with an open quote", `${HEAD}secrets:\n  PIN: "hunter2\nsteps: []\n`, "source.syntax 3:8"],
  [
    "one near to another fault",
    `${HEAD}secrets: { PIN: hunter2, KEY: env:KEY, TAG: 'hunter3, 4' }\n${BROKEN}`,
    "source.syntax 5:2",
  ],
  ["one over several lines", `${HEAD}secrets:\n  PIN: |\n    hunter2\n    a: hunter3\n${BROKEN}`, "source.syntax 8:2"],
  [
    "one in braces that continue at the margin",
    `${HEAD}secrets: { KEY: env:KEY,\nPIN: hunter2\n}\n${BROKEN}`,
    "source.unclosed 2:10",
  ],
  ["a key on the line below its name", `ledger:\n  apiKey:\n    hunter2\n  name: x: y\n`, "source.syntax 4:10"],
  ["a key over several lines", `ledger:\n  apiKey: |\n    hunter2\n    hunter3\n  name: x: y\n`, "source.syntax 5:10"],
  ["a key in quotes over several lines", `ledger:\n  apiKey: "hunter2\n    hunter3"\n  name: x: y\n`, "source.syntax 4:10"],
  ["a key in quotes that never end", `ledger:\n  apiKey: "hunter2\nhunter3\n`, "source.syntax 2:11"],
  ["a key that a comment shows", `ledger:\n  apiKey: env:KEY # was hunter2\n  name: x: y\n`, "source.syntax 3:10"],
  ["a key in a long line", `ledger: { apiKey: hunter2, name: x: y, more: "${"z".repeat(5_000)}" }\n`, "source.syntax 1:35"],
  [
    "credentials in braces, over two lines",
    "a:\n  investor: { credentials: { K: env:K,\n    L: hunter3 } }\n  name: x: y\n",
    "source.syntax 4:10",
  ],
  ["a secret in a list", "a:\n  - credentials:\n      K: hunter2\n    name: x: y\n", "source.syntax 4:12"],
  ["a password", `a:\n  password: hunter2\n  api_key: hunter3\n  name: x: y\n`, "source.syntax 4:10"],
  ["a key", "environments:\n  a:\n    ledger: { baseUrl: x, apiKey: @hunter2 }\n", "source.syntax 3:35"],
  ["a key in braces", "environments:\n  a:\n    ledger: { apiKey: {hunter2}, name: x: y }\n", "source.syntax 3:41"],
  ["a key in double braces", "a:\n  apiKey: {{ hunter2 }}\n  name: x: y\n", "source.syntax 3:10"],
  ["a credential", "environments:\n  a:\n    investor: { credentials: { K: %hunter2, L: hunter3 } }\n", "source.syntax 3:35"],
])("%s is not shown if the text cannot be read", ([, text, expected]) => {
  const { root, diagnostics } = parseUnshown("file.yaml", text);
  expect(root).toBeUndefined();
  expect(diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([expected]);
  expect(diagnostics.map(formatDiagnostic).join("\n")).not.toContain("hunter");
});

test("references, and a text without secrets, are shown as they are", () => {
  const [diagnostic] = parseUnshown(
    "file.yaml",
    `${HEAD}secrets: { PIN: env:DOOR_PIN, KEY: "file:keys/a" }\nsteps: x: y\n`,
  ).diagnostics;
  expect(diagnostic?.frame).toContain('{ PIN: env:DOOR_PIN, KEY: "file:keys/a" }');
  expect(diagnostic?.message).toMatch(/^outside quotes, a :/);
  expect(parseUnshown("file.yaml", "a: @b\n").diagnostics[0]?.frame).toContain("a: @b");
});
