import { readFileSync } from "node:fs";
import { lint } from "markdownlint/sync";
import { expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import { operations } from "../../../src/operations/operation.ts";
import { type OperationPage, pageOf } from "../../../src/operations/page.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";

const all = [...operations.values()];
const pages = all.map((operation) => pageOf(operation));
const byName = pages.map((page) => [page.name, page] as const);

function playbookOf({ example }: OperationPage): string {
  return [
    "playbook: 1",
    "name: An example",
    "actors:",
    '  issuer: { ledger: "userId:alice" }',
    "  buyer: { investor: BUYER_KEY }",
    "steps:",
    example.replaceAll(/^(?=.)/gm, "  "),
  ].join("\n");
}

function factOf({ facts }: OperationPage, label: string): string | undefined {
  return facts.find((fact) => fact.label === label)?.text;
}

test.for(byName)("the example of %s passes the check", ([name, page]) => {
  const { playbook, diagnostics } = checkPlaybook("example.yaml", playbookOf(page));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(playbook?.steps.map((step) => step.kind === "call" && step.operation.name)).toEqual([name]);
});

test.for(byName)("the example of %s has every required field, and no placeholder", ([, page]) => {
  for (const { name, required } of page.input) if (required) expect(page.example).toContain(`    ${name}:`);
  expect(page.example).not.toMatch(/…|\[\]|undefined|null/);
});

test.for(byName)("the page of %s has no empty part", ([, page]) => {
  for (const text of [page.summary, page.description, page.call, page.example]) expect(text).toMatch(/\S/);
  const fields = [...page.input, ...page.yields, ...page.types.flatMap((type) => type.fields)];
  for (const { name, type, description } of fields) {
    expect(type, name).toMatch(/^[A-Za-z0-9][\w ,|.-]*$/);
    expect(description, name).toMatch(/\S/);
  }
  const text = JSON.stringify(page);
  expect(text).not.toMatch(/undefined|\[object|\$ref|contract#/);
  expect((text.match(/`/g) ?? []).length % 2, "every backtick has its other one").toBe(0);
});

test.for(byName)("the page of %s describes each type that it uses", ([, page]) => {
  const known = new Set(page.types.map(({ name }) => name));
  const used = [...page.input, ...page.yields, ...page.types.flatMap(({ fields }) => fields)].flatMap(
    ({ type }) => type.match(/\b[A-Z]\w+\b/g) ?? [],
  );
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test("the page of a write shows how a lost answer is settled, and the page of a read that a repeat is safe", () => {
  for (const { name, writes, meaning, call } of all) {
    const page = pageOf(operations.get(name) ?? expect.fail(name));
    expect(factOf(page, "Effect"), name).toContain(writes ? `write (${meaning.effect})` : "read");
    expect(factOf(page, "Repeat"), name).toContain(writes ? "surely had no effect" : "safe");
    expect(factOf(page, "Lost answer") === undefined, name).toBe(!writes);
    expect(factOf(page, "Seen in"), name).toBe(meaning.effect === "read" ? undefined : meaning.readBack);
    expect(factOf(page, "Fills in") === undefined, name).toBe(meaning.complete === undefined);
    expect(factOf(page, "Pages") === undefined, name).toBe(call.paging === undefined);
  }
});

test("every operation that a page names exists", () => {
  const named = pages.flatMap((page) => JSON.stringify(page.facts).match(/\b(?:ledger|investor)\.\w+\.\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(20);
  for (const name of named) expect(operations.has(name), name).toBe(true);
});

test("a page names the parts of the description that it rests on: endpoint, interface, fields and errors", () => {
  for (const { name, call } of all) {
    const { restsOn } = pageOf(operations.get(name) ?? expect.fail(name));
    const side = call.interface === "ledger" ? "B" : "A";
    expect(restsOn.slice(0, 2), name).toEqual([
      `Endpoints ${call.section}: \`${call.method} ${call.path}\``,
      `Conventions of interface ${side}`,
    ]);
    if (side === "B")
      expect(
        restsOn.some((row) => row.startsWith("Errors B: ")),
        name,
      ).toBe(call.conditions.length > 0);
  }
});

test("a page names the setting of the profile for each name that the profile can change", () => {
  const sales = pageOf(operations.get("investor.sales.list") ?? expect.fail());
  expect(sales.inputNotes.join("\n")).toContain("`investor.parameters`");
  const update = pageOf(operations.get("ledger.vault.update") ?? expect.fail());
  expect(update.inputNotes.join("\n")).toContain("`ledger.fields.vaultUpdate`");
  expect(Object.keys(DEFAULT_PROFILE.ledger.fields.vaultUpdate)).toEqual(update.input.map(({ name }) => name));
  expect(Object.keys(DEFAULT_PROFILE.investor.parameters)).toEqual(expect.arrayContaining(sales.input.map(({ name }) => name)));
});

test("docs/operations.md is well-formed, and every link in it leads to a heading", () => {
  const config = { default: true, MD013: false, MD024: { siblings_only: true } };
  const found = lint({ files: ["docs/operations.md"], config })["docs/operations.md"] ?? [];
  expect(found.map(({ lineNumber, ruleNames, errorDetail }) => `${lineNumber} ${ruleNames.join("/")} ${errorDetail}`)).toEqual(
    [],
  );
  const document = readFileSync("docs/operations.md", "utf8");
  for (const { name } of all) expect(document).toContain(`\n## ${name}\n`);
  expect(document.match(/\]\(#/g)?.length).toBeGreaterThan(200);
});
