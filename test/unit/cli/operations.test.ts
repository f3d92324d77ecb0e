import { expect, test } from "vitest";
import { operations } from "../../../src/cli/commands/reference/operations.ts";
import { operations as all } from "../../../src/operations/operation.ts";
import { HEADINGS, pageOf } from "../../../src/operations/page.ts";
import { shownBy } from "./shell.ts";

const shown = (options: { readonly name?: string; readonly json?: boolean }): Promise<string> =>
  shownBy(operations, { ...options, name: options.name === undefined ? [] : [options.name] });

const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

test.for([...all.keys()])("the page of %s has everything, in lines that fit a terminal", async (name) => {
  const page = pageOf(all.get(name) ?? expect.fail());
  const text = await shown({ name });
  const onOneLine = flat(text);
  const facts = [...page.facts, ...page.failures].map((fact) => `${fact.label} ${fact.text}`);
  for (const words of [page.summary, page.description, ...facts, ...page.inputNotes, ...page.restsOn]) {
    expect(onOneLine).toContain(flat(words));
  }
  for (const heading of [HEADINGS.input, HEADINGS.yields, HEADINGS.failures, HEADINGS.example])
    expect(text).toContain(`\n${heading}:\n`);
  expect(text).toContain(page.example.trimEnd().replaceAll(/^/gm, "  "));
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(130);
  expect(text).not.toMatch(/ $/m);
});

test("all operations are listed, as text and as JSON", async () => {
  const text = await shown({});
  for (const { name, call } of all.values())
    expect(text).toMatch(new RegExp(`^  ${name} +(?:read |write)  ${call.summary}$`, "m"));
  const data = JSON.parse(await shown({ json: true })) as { operations: readonly { name: string }[] };
  expect(data.operations.map(({ name }) => name)).toEqual([...all.keys()]);
  const one = JSON.parse(await shown({ name: "ledger.transfer.request", json: true })) as object;
  expect(one).toMatchObject({
    effect: "marked",
    fills: expect.stringContaining("mark"),
    foundBy: "ledger.transfer.byAsset",
    restsOn: expect.arrayContaining(["Conventions of interface B"]),
    input: { required: ["assetType", "id"] },
  });
});
