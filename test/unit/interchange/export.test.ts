import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { filesOf } from "../../../src/cli/project/project-files.ts";
import { checkDocument } from "../../../src/interchange/check.ts";
import { exportPlaybook } from "../../../src/interchange/export/export-playbook.ts";
import { LOST } from "../../../src/interchange/findings.ts";
import { importArazzo } from "../../../src/interchange/import/import-arazzo.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { fileURLToPath } from "node:url";

const HEAD = 'playbook: 1\nactors: { alice: { ledger: "userId:alice" } }\ndefaults: { as: alice }\n';

function exported(rest: string): { readonly document: string; readonly lost: readonly string[] } {
  const { text, diagnostics } = exportPlaybook("test.yaml", HEAD + rest, {
    read: (path) => (path.endsWith("rows.csv") ? "n\nA1\n" : undefined),
  });
  const lost = diagnostics.filter(({ code }) => code === LOST).map(({ message }) => message);
  return { document: text ?? expect.fail(diagnostics.map(formatDiagnostic).join("\n")), lost };
}

function importedAgain(document: string): string {
  const { text, diagnostics } = importArazzo("test.arazzo.yaml", document);
  return text ?? expect.fail(diagnostics.map(formatDiagnostic).join("\n"));
}

const CREATE = "uses: ledger.token.create, with: { name: A, symbol: A, behaviour: { transferable: true } }";
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("a document sends the same as its playbook", () => {
  test("no two steps create the same id, however similar the ids of the steps are", () => {
    const { document } = exported(
      `steps:\n${["gold_a", "golda", "gold__a", "golda2"].map((id) => `  - { id: ${id}, ${CREATE} }\n`).join("")}`,
    );
    const ids = Array.from(document.matchAll(/- id: (\w+)\{/g), ([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
  });

  test("an entity is sent with its organization, and acts as in the playbook", () => {
    const { document, lost } = exported(`inputs: { who: { type: entity, default: "userId:bob" } }
steps:
  - { uses: ledger.token.mint, as: "\${{ inputs.who }}", with: { id: GOLD1, to: "\${{ inputs.who }}", value: 5 } }
`);
    expect(document).toMatch(/to:\s+orgId: \$inputs\.orgId\s+userId: \$inputs\.who/);
    expect(document).toContain("value: userId:{$inputs.who}");
    expect(lost).toEqual(['the input "who" gives the userId alone']);
  });

  test("an input, a variable, a secret and the organization become four inputs, even with one name", () => {
    const { document, lost } =
      exported(`inputs: { orgId: { type: string, default: mine }, city: { type: string, default: Porto } }
env: { city: Lisbon, ZIP: ~ }
secrets: { orgId: "env:OWN" }
steps:
  - uses: ledger.asset.create
    with: { assetType: Property, data: { id: A1, a: "\${{ inputs.orgId }}", b: "\${{ inputs.city }}", c: "\${{ env.city }}", d: "\${{ env.ZIP }}", e: "\${{ secrets.orgId }}" } }
  - { uses: ledger.token.mint, with: { id: GOLD1, to: "\${{ actors.alice }}", value: 5 } }
`);
    const sent = Object.fromEntries(
      Array.from(document.matchAll(/^ +([a-e]): \$inputs\.(\w+)$/gm), ([, field, name]) => [field, name]),
    );
    expect(new Set([...Object.values(sent), /orgId: \$inputs\.(\w+)/.exec(document)?.[1]]).size).toBe(6);
    expect(sent).toMatchObject({ a: "orgId", b: "city", d: "ZIP" });
    expect(document).toMatch(/city_2:\s+type: string\s+description: The variable city\.\s+default: Lisbon/);
    expect(lost).toEqual([]);
  });

  test("a step that needs the content of a file or a part of a list is not replaced by another value", () => {
    const { document, lost } = exported(`inputs:
  rows: { type: file, default: rows.csv, items: { type: object, properties: { n: { type: string } } } }
  tags: { type: list, items: { type: string }, default: [a] }
steps:
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ inputs.rows[0].n }}" } } }
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ inputs.tags[0] }}" } } }
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: A1, tags: "\${{ inputs.tags }}" } } }
`);
    expect(document).not.toMatch(/inputs\.rows|inputs\.tags#/);
    expect(document).toContain("tags: $inputs.tags");
    expect(lost).toEqual(['the file of the input "rows" is not read', "the step is left out", "the step is left out"]);
  });

  test("numbers that only a run knows are not written side by side as if they were added", () => {
    const { document, lost } =
      exported(`inputs: { a: { type: decimal }, b: { type: decimal }, name: { type: string }, last: { type: string } }
steps:
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: A1, price: "\${{ inputs.a + inputs.b }}" } } }
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: A2, name: "\${{ inputs.name + inputs.last }}" } } }
`);
    expect(document).not.toContain("price");
    expect(document).toContain('"{$inputs.name}{$inputs.last}"');
    expect(lost).toEqual(["the step is left out"]);
  });

  test("a playbook gives no document if none of its steps can be written", () => {
    const { text, diagnostics } = exportPlaybook("test.yaml", `${HEAD}checks: [{ conserve: { token: GOLD1 } }]\n`, {
      read: () => undefined,
    });
    expect(text).toBeUndefined();
    expect(diagnostics.map(({ message }) => message)).toContain("no step of this playbook can be written in Arazzo");
  });
});

describe("a document checks the same as its playbook", () => {
  test("a document awaits a receipt before it checks the effect, with the timeout of the playbook, and not after `wait: none`", () => {
    const { document } = exported(`steps:
  - id: mint
    uses: ledger.token.mint
    with: { id: GOLD1, to: { userId: bob }, value: 5 }
    wait: { timeout: 5m }
    ensure: { read: ledger.token.get, with: { id: GOLD1 }, that: response.totalSupply >= 5, within: 20s }
  - { id: burn, uses: ledger.token.burn, with: { id: GOLD1, from: { userId: bob }, value: 5 }, wait: none }
`);
    const ids = Array.from(document.matchAll(/stepId: (\w+)\n +operationPath/g), ([, id]) => id);
    expect(ids).toEqual(["mint_before", "mint", "mint_receipt", "mint_ensured", "burn"]);
    expect(document).toMatch(/retryLimit: 300[\s\S]*stepId: mint_ensured[\s\S]*retryLimit: 20/);
    const again = importedAgain(document);
    expect(again).toMatch(/uses: ledger\.token\.mint[\s\S]*ensure: \{ as: alice, read: ledger\.token\.get/);
    expect(again).not.toContain("mint_receipt");
  });

  test("texts are compared exactly in the document, and after its import", () => {
    const { document, lost } = exported(`steps:
  - { uses: ledger.token.get, with: { id: GOLD1 }, expect: ['response.symbol == "GLD"'] }
`);
    expect(document).toMatch(/context: \$response\.body#\/symbol\s+condition: \^GLD\$\s+type: regex/);
    expect(lost).toEqual([]);
    expect(importedAgain(document)).toContain('response.symbol == "GLD"');
  });

  test.for([
    ['(v.id == "A1" || v.id == "A2") && v.name == "none"', "(@.id == 'A1' || @.id == 'A2') && @.name == 'none'"],
    ['v.name == "none" && (v.id == "A1" || v.id == "A2")', "@.name == 'none' && (@.id == 'A1' || @.id == 'A2')"],
    ['v.id == "A1" || v.id == "A2" && v.name == "none"', "@.id == 'A1' || @.id == 'A2' && @.name == 'none'"],
  ])("a filter keeps its brackets in the document, and after its import: %s", ([where = "", filter = ""]) => {
    const { document } = exported(`steps:\n  - { uses: ledger.vault.list, expect: ['response.exists(v, ${where})'] }\n`);
    expect(document).toContain(`@[?(${filter})]`);
    expect(importedAgain(document)).toContain(where.replaceAll("v.", "item."));
  });

  test.for([
    ['response.symbol == "GLD" || response.symbol == "SLV"', "this criterion finds A and a equal"],
    ["response.totalSupply == 12345678901234567890.5", "runners that read 12345678901234567890.5 as a double round it"],
    ['response.properties == {"grade": 2}', "this criterion does not notice further fields"],
    ['response.name.startsWith("Gold")', "this expectation is not checked"],
  ])("an expectation that the document cannot keep is reported: %s: %s", ([expression = "", message = ""]) => {
    const { lost } = exported(`steps:\n  - uses: ledger.token.get\n    with: { id: GOLD1 }\n    expect: ['${expression}']\n`);
    expect(lost).toContain(message);
  });

  test("a field of a map is found by its name, whatever signs the name has", () => {
    const { document } = exported(
      `steps:\n  - { uses: ledger.token.get, with: { id: GOLD1 }, expect: 'response.properties == {"a/b": 2}' }\n`,
    );
    expect(document).toContain("$response.body#/properties/a~1b == 2");
  });

  test("a retry with growing pauses keeps its number of attempts and its total time", () => {
    const { document } = exported(`steps:
  - { uses: ledger.token.get, with: { id: GOLD1 }, retry: { attempts: 4, every: 100ms, backoff: 3 } }
`);
    expect(document).toMatch(/retryAfter: 0\.433\s+retryLimit: 3/);
  });

  test("each keyword that a document cannot express is reported with its reason", () => {
    const { lost } = exported(`id: nightly
tags: [smoke]
mode: read-only
steps:
  - foreach: { n: [a, b], key: n, parallel: 2 }
    uses: ledger.token.get
    with: { id: "\${{ n }}" }
    fails: { condition: asset not found, message: { contains: asset } }
  - block: [{ uses: ledger.token.get, with: { id: GOLD1 } }]
    rescue: [{ uses: ledger.token.get, with: { id: GOLD2 } }]
    retry: { attempts: 2 }
`);
    expect(new Set(lost)).toEqual(
      new Set(["id", "tags", "mode", "parallel", "message", "rescue", "retry"].map((name) => `\`${name}\` is left out`)),
    );
  });
});

describe("a document keeps the rules of inputs", () => {
  test("every rule is written, unless JSON Schema does not have it", () => {
    const { document, lost } = exported(`inputs:
  rows:
    type: list
    minItems: 1
    unique: id
    items: { type: object, properties: { id: { type: string, pattern: "^[A-Z]+$" }, n: { type: integer, minimum: 3 } }, required: [id] }
    default: [{ id: A }]
  day: { type: date, minimum: 2026-01-01, default: 2026-02-01 }
  holder: { type: entity }
steps:
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: A1, rows: "\${{ inputs.rows }}", day: "\${{ inputs.day }}", holder: "\${{ inputs.holder }}" } } }
`);
    for (const rule of ["minItems: 1", "pattern: ^[A-Z]+$", "minimum: 3", "additionalProperties: false", "format: date"])
      expect(document).toContain(rule);
    expect(document).toMatch(/required:\s+- id\n/);
    expect(lost).toEqual(['`unique` of the input "rows" is not checked', '`minimum` of the input "day" is not checked']);
  });
});

test("a number of an input that a double rounds is written with all digits, and reported", () => {
  const big = "12345678901234567890.5";
  const use = `steps:
  - { uses: ledger.asset.create, with: { assetType: Property, data: { id: A1, n: "\${{ inputs.n }}" } } }
`;
  for (const rules of [
    `type: decimal, default: ${big}`,
    `type: decimal, default: 2, minimum: 1, maximum: ${big}`,
    `type: decimal, default: 0.5, enum: [0.5, ${big}]`,
    `type: list, items: { type: object, properties: { n: { type: decimal } } }, default: [{ n: ${big} }]`,
  ]) {
    const { document, lost } = exported(`inputs: { n: { ${rules} } }\n${use}`);
    expect(importedAgain(document)).toContain(big);
    expect(lost, rules).toEqual([`runners that read ${big} as a double round it`]);
  }
});

describe("an import refuses or reports what it cannot translate", () => {
  const read = (onFailure: string): string => {
    const { document } = exported("steps:\n  - { uses: ledger.token.get, with: { id: GOLD1 } }\n");
    return `${document}        onFailure:\n${onFailure}`;
  };
  const END = "          - { name: stop, type: end }\n";
  const RETRY = "          - { name: again, type: retry, retryAfter: 1, retryLimit: 4 }\n";

  test("the first action wins: a workflow that ends is not repeated", () => {
    expect(importedAgain(read(END + RETRY))).not.toContain("retry:");
    expect(importedAgain(read(RETRY + END))).toContain("attempts: 5");
  });

  test("a limit of 0 repeats nothing", () => {
    expect(importedAgain(read(RETRY.replace("4", "0")))).not.toContain("retry:");
  });

  test("criteria of an action that get lost are reported", () => {
    const { diagnostics } = importArazzo(
      "test.arazzo.yaml",
      read(RETRY.replace(" }", ", criteria: [{ condition: $statusCode == 503 }] }")),
    );
    expect(diagnostics.map(({ message }) => message)).toContain("the criteria of this action are not kept");
  });

  test("a body that is not JSON is refused", () => {
    const { document } = exported(`steps:\n  - { id: gold, ${CREATE} }\n`);
    const { text, diagnostics } = importArazzo("test.arazzo.yaml", document.replace("application/json", "application/xml"));
    expect([text, diagnostics.map(({ message }) => message)]).toEqual([
      undefined,
      expect.arrayContaining(["a body of application/xml cannot be sent"]),
    ]);
  });
});

test.for(
  globSync(
    [
      "playbooks/scenarios/*.yaml",
      "playbooks/onboarding/*.yaml",
      "playbooks/reconciliation/*.yaml",
      "playbooks/lost-answers/*.yaml",
    ],
    { cwd: ROOT },
  ).toSorted(),
)("%s passes its check after an export and an import", (path) => {
  const files = filesOf({ cwd: ROOT });
  const { text, diagnostics } = exportPlaybook(resolve(ROOT, path), readFileSync(resolve(ROOT, path), "utf8"), files);
  if (text === undefined)
    return expect(diagnostics.map(({ message }) => message)).toContain("no step of this playbook can be written in Arazzo");
  const made = checkDocument("again.yaml", importedAgain(text), files);
  expect(made.diagnostics.filter(({ severity }) => severity === "error").map(formatDiagnostic)).toEqual([]);
});
