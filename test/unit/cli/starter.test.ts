import { expect, test } from "vitest";
import { starterPlaybook } from "../../../src/cli/starter/playbook.ts";
import { operationNamed, operations } from "../../../src/operations/operation.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { playbookOrder } from "../../../src/playbook/keywords/key-order.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { formatYaml } from "../../../src/source/format.ts";

function starter(...names: readonly string[]): string {
  const text = starterPlaybook("A new one", names.map(operationNamed));
  const { playbook, diagnostics } = checkPlaybook("new.yaml", text);
  expect(diagnostics.map(formatDiagnostic).join("\n"), text).toBe("");
  expect(playbook?.steps.map((step) => step.kind === "call" && step.operation.name)).toEqual(names);
  expect(formatYaml("new.yaml", text, playbookOrder)).toEqual({ text });
  return text;
}

test.for([...operations.keys()])("a playbook that calls %s passes its check, and is formatted", (name) => {
  starter(name);
  starter(name, name);
});

test("one playbook may call all operations, in any order", () => {
  starter(...operations.keys());
  starter(...[...operations.keys()].toReversed());
});

test("later steps use the ids of what earlier steps create, and no step chooses such an id", () => {
  const text = starter("ledger.token.create", "ledger.token.mint", "ledger.vault.create", "ledger.vault.deposit");
  expect(text).toContain('      id: "${{ steps.token_create.id }}"');
  expect(text).toContain('      vaultId: "${{ steps.vault_create.id }}"');
  expect(text.match(/\bid: [A-Z]/g)).toEqual(["id: B"]); // the id of the deposited asset, which no step makes
});

test("the entities of the examples become actors, and the investor interface has its own actor", () => {
  const text = starter("ledger.erc1155.safeTransferFrom", "investor.sales.list");
  expect(text).toContain("  alice: { ledger:");
  expect(text).toContain("  bob: { ledger:");
  expect(text).toContain('from: "${{ actors.bob }}"');
  expect(text).toMatch(/as: buyer\n +uses: investor\.sales\.list/);
  expect(starter("investor.sales.list")).toContain("defaults: { as: buyer }");
});

test("each input says whether it is required, and a playbook of reads is read-only", () => {
  const text = starter("ledger.token.get");
  expect(text).toContain("      # required: Id of the token.");
  expect(text).toContain("mode: read-only");
  expect(starter("ledger.token.mint")).not.toContain("read-only");
});

test("two steps of one operation have different ids", () => {
  expect(starter("ledger.status", "ledger.status", "ledger.erc1155.balanceOf").match(/id: [a-z0-9_]+$/gm)).toEqual([
    "id: status",
    "id: status_2",
    "id: erc1155_balance_of",
  ]);
});

test("a name that YAML would read as another type stays a text", () => {
  for (const name of ["true", "12", "a: b", "# x", "é'\""]) {
    const { playbook } = checkPlaybook("new.yaml", starterPlaybook(name, [operationNamed("ledger.status")]));
    expect(playbook?.name).toBe(name);
  }
});
