import { expect, test } from "vitest";
import { exportPlaybook } from "../../../src/interchange/export/export-playbook.ts";
import { importArazzo } from "../../../src/interchange/import/import-arazzo.ts";

const NO_FILES = { read: () => undefined };

function exported(steps: string): string {
  const text = `playbook: 1\nactors: { buyer: { ledger: "userId:buyer" }, shopper: { investor: BUYER_KEY } }\nsteps:\n${steps}`;
  const { text: document, diagnostics } = exportPlaybook("test.yaml", text, NO_FILES);
  return document ?? expect.fail(JSON.stringify(diagnostics));
}

const idsIn = (document: string): unknown[] => [...document.matchAll(/stepId: (\S+)/g)].map(([, id]) => id);

test("each step without an id gets its own id in a document", () => {
  const document = exported(`  - { uses: ledger.token.get, as: buyer, with: { id: GOLD1 } }
  - { uses: ledger.token.get, as: buyer, with: { id: GOLD2 } }
  - { id: ledger_token_get_2, uses: ledger.token.get, as: buyer, with: { id: GOLD3 } }
`);
  expect(idsIn(document)).toEqual(["ledger_token_get", "ledger_token_get_2", "ledger_token_get_2_2"]);
});

test("each round of a block has its own steps, and other steps refer to the right round", () => {
  const document = exported(`  - foreach: { n: [a, b], key: n }
    block:
      - { id: get, uses: ledger.token.get, as: buyer, with: { id: "\${{ n }}" } }
      - { id: again, uses: ledger.token.get, as: buyer, with: { id: "\${{ steps.get.response.id }}" } }
  - { id: last, uses: ledger.token.get, as: buyer, with: { id: '\${{ steps.get["b"].response.id }}' } }
`);
  expect(idsIn(document)).toEqual(["block_a_get", "block_a_again", "block_b_get", "block_b_again", "last"]);
  const used = [...document.matchAll(/value: \$steps\.(\w+)\.outputs\.id/g)].map(([, id]) => id);
  expect(used).toEqual(["block_a_get", "block_b_get", "block_b_get"]);
});

test("an entity and a key with the same name become two actors", () => {
  const document = exported(`  - { id: one, uses: ledger.token.get, as: buyer, with: { id: GOLD1 } }
  - { id: two, uses: investor.sales.list, as: shopper }
`);
  const { text, diagnostics } = importArazzo("test.arazzo.yaml", document);
  expect(text, JSON.stringify(diagnostics)).toMatch(
    /^ {2}buyer: \{ ledger: userId:buyer \}\n {2}buyer_2: \{ investor: BUYER_KEY \}$/m,
  );
  expect(text).toMatch(/id: two\n +as: buyer_2/);
});
