import { expect, test } from "vitest";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { correct } from "./helper.ts";

const STEPS = "steps: [{ uses: ledger.status }]\n";

function printed(text: string): string {
  return checkPlaybook("a.yaml", text).diagnostics.map(formatDiagnostic).join("\n\n");
}

test("the settings before the steps are read", () => {
  const playbook = correct(`playbook: 1
tags: [smoke, slow.2]
concurrency: { group: "desk-\${{ env.DESK }}", overlap: wait, timeout: 2m }
env: { DESK: one, _private: ~ }
secrets: { KEY: env:SOME_KEY, pem: file:../a b.pem }
${STEPS}`);
  expect(playbook).toMatchObject({
    tags: ["smoke", "slow.2"],
    concurrency: { waitMs: 120_000, line: 3 },
    env: [
      { name: "DESK", default: "one", line: 4 },
      { name: "_private", default: undefined, line: 4 },
    ],
    secrets: [
      { name: "KEY", from: "variable", place: "SOME_KEY", line: 5 },
      { name: "pem", from: "file", place: "../a b.pem", line: 5 },
    ],
  });
  expect(correct(`playbook: 1\nconcurrency: { group: a }\n${STEPS}`).concurrency?.waitMs).toBeUndefined();
  expect(correct(`playbook: 1\nconcurrency: { group: a, overlap: wait }\n${STEPS}`).concurrency?.waitMs).toBe(3_600_000);
});

test.for<[string, string]>([
  ["in a flow map", "secrets: { KEY: canary-7781 }"],
  ["in quotes", 'secrets:\n  KEY: "canary-7781"'],
  ["over several lines", "secrets:\n  KEY: |\n    canary-7781\n    and canary-7782"],
  ["in a line too long to show", `secrets: { KEY: "canary-7781${"x".repeat(300)}" }`],
  ["as a number", "secrets: { KEY: 77817782 }"],
  ["in a map of its own", "secrets: { KEY: { value: canary-7781 } }"],
  ["as all of secrets", "secrets: canary-7781"],
  ["as a list", "secrets: [canary-7781]"],
  ["behind a word that is no variable", "secrets: { KEY: env:canary-7781 }"],
])("no diagnostic shows a secret that is written out %s", ([, secrets]) => {
  const alone = printed(`playbook: 1\n${secrets}\n${STEPS}`);
  const beside = printed(`playbook: 1\nmodus: x\n${secrets}\nstepps: x\n${STEPS}`);
  expect(alone).toContain("***");
  expect(alone + beside).not.toMatch(/canary|778/);
});

test.each([
  ["http", "headers: { Authorization: env:AWS_KEY }"],
  ["postgres", "query: SELECT id FROM a"],
])(
  "the address of %s cannot come from a file of the project, because the author of the playbook writes that file too",
  (kind, beside) => {
    const rows = (place: string): string => `playbook: 1
mode: read-only
secrets: { ADDRESS: file:address.txt }
reconcile:
  - id: a
    left: { name: one, rows: { ${kind}: "${place}", ${beside}, properties: { id: { type: string } } }, key: row.id }
    right: { name: other, rows: { csv: a.csv, properties: { id: { type: string } } }, key: row.id }
`;
    expect(printed(rows("file:address.txt"))).toContain(`"${kind}" takes its address from a variable, not from a file`);
    expect(printed(rows("https://canary-7781"))).toContain("playbook.secret-literal");
    expect(printed(rows("https://canary-7781"))).not.toMatch(/canary|file:PATH/);
    correct(rows("env:ADDRESS"));
  },
);

test("one expression may combine secrets with other values", () => {
  correct(`playbook: 1
env: { REGION: eu }
secrets: { A: env:A_KEY, B: env:B_KEY }
inputs: { which: { type: string } }
defaults: { as: { ledger: key } }
steps:
  - id: seen
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ secrets.A + env.REGION + inputs.which }}" }
    expect: [response.id == secrets.A, steps.seen.response.id != secrets.B]
  - uses: ledger.asset.create
    if: secrets.A != secrets.B
    with:
      assetType: Property
      data: { id: X, key: '\${{ steps.seen.outcome == "ok" ? secrets.A : secrets.B }}', two: "\${{ steps.seen.response.id }}\${{ secrets.A }}" }
`);
});

test.each([
  "secrets.A.substring(2)",
  "secrets.A.upperAscii() == env.B",
  "secrets.A.split(env.B)",
  "[secrets.A].map(s, s.trim())",
  "[[secrets.A]].map(list, list.map(s, s.lowerAscii()))",
  '{secrets.A: 1}.map(key, key.substring(1)) == [""]',
  "cel.bind(s, secrets.A, s.substring(1))",
  '("x" + secrets.A).substring(1)',
  '(env.B == "" ? secrets.A : env.B).lastIndexOf("x")',
  "decimal(secrets.A) + 1",
  "-decimal(secrets.A)",
  "[decimal(secrets.A)].map(n, n / 2)",
  "[decimal(secrets.A), 0].filter(n, n > 0)[0] % 2",
  "string(decimal(secrets.A))",
  "size(secrets.A)",
  "dyn(secrets.A)",
])("%s is refused, because nothing could mask its result", (expression) => {
  expect(printed(usingSecret(expression))).toContain("playbook.secret-part");
});

test.each([
  "secrets.A",
  '"Bearer " + secrets["A"]',
  '[secrets.A, env.B].filter(s, s != "")',
  '{"pin": secrets.A, "long": size(env.B)}',
  "decimal(secrets.A)",
  "[decimal(secrets.A)].filter(n, n > 1)",
  "has(secrets.A) ? secrets.A : env.B.upperAscii()",
  '[env.B].exists(b, secrets.A.contains(b) || re2(secrets.A, "^a")) ? 1 : 2',
  "[env.B].map(secrets, secrets.upperAscii())",
])("%s is accepted, because it uses a secret as a whole", (expression) => {
  correct(usingSecret(expression));
});

function usingSecret(expression: string): string {
  return `playbook: 1
env: { B: b }
secrets: { A: env:A_KEY }
steps:
  - uses: ledger.asset.create
    as: { ledger: key }
    with: { assetType: Property, data: { id: X, pin: ${JSON.stringify(`\${{ ${expression} }}`)} } }
`;
}

test.for([
  ["secret: { PIN: canary-7781 }"],
  ["secret: [{ PIN: canary-7781 }]"],
  ["SECRETS: { PIN: canary-7781 }"],
  ["api_key: canary-7781"],
  ["defaults: { apiKey: canary-7781 }"],
  ["headers: { X-Api-Key: canary-7781, Authorization: Bearer canary-7781 }"],
])("a secret under a name that a playbook does not have (%s) is not shown", ([written]) => {
  const shown = printed(`playbook: 1\n${written}\n${STEPS}`);
  expect(shown).toContain("schema.unknown-field");
  expect(shown).not.toContain("canary");
});

test("a password among data is not shown, and an expression in its place is", () => {
  const step =
    '  - uses: ledger.asset.create\n    with: { data: { password: canary-7781, apiKey: "${{ secrets.KEY }}" } }\n    wth: 1\n';
  const shown = printed(`playbook: 1\nsteps:\n${step}`);
  expect(shown).toContain('apiKey: "${{ secrets.KEY }}"');
  expect(shown).not.toContain("canary");
});
