import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { library } from "../../../src/cli/commands/reference/library.ts";
import { shippedPlaybook, shipped } from "../../../src/cli/project/shipped.ts";
import { stepsIn } from "../../../src/playbook/playbook-walk.ts";
import { shownBy } from "./shell.ts";

const shown = (options: { readonly name?: string; readonly json?: boolean }): Promise<string> => shownBy(library, options);

const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

test("every shipped playbook is listed by the name that a step uses, with its purpose", async () => {
  const text = await shown({});
  const files = globSync("library/*.yaml");
  expect(shipped.names).toEqual(files.map((file) => file.replace("library/", "tokenbook/")).toSorted());
  for (const uses of shipped.names) expect(flat(text)).toContain(flat(`${uses} ${shippedPlaybook(uses).playbook.name}`));
  const { playbooks } = JSON.parse(await shown({ json: true })) as { playbooks: readonly { readonly uses: string }[] };
  expect(playbooks.map(({ uses }) => uses)).toEqual(shipped.names);
});

test.for(shipped.names)("the page of %s has everything, and a shorter name shows it too", async (uses) => {
  const { playbook, outputs } = shippedPlaybook(uses);
  const text = await shown({ name: uses });
  expect(flat(text)).toContain(flat(playbook.description ?? expect.fail()));
  for (const { name, description = expect.fail() } of playbook.inputs) {
    expect(text).toMatch(new RegExp(`^  ${name}[ *]`, "m"));
    expect(flat(text.replaceAll(/\n +/g, " "))).toContain(flat(description));
  }
  for (const name of outputs.keys()) expect(text).toMatch(new RegExp(`^  steps\\.ID\\.outputs\\.${name}  `, "m"));
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(130);
  expect(text).not.toMatch(/ $/m);
  expect(text).not.toMatch(/undefined|\[object|dyn|map</);
  expect(await shown({ name: uses.replace(/^tokenbook\/|\.yaml$/g, "") })).toBe(text);
  const { file, inputs } = JSON.parse(await shown({ name: uses, json: true })) as {
    readonly file: string;
    readonly inputs: readonly { readonly name: string }[];
  };
  expect(readFileSync(file, "utf8")).toBe(playbook.text);
  expect(inputs.map(({ name }) => name)).toEqual(playbook.inputs.map(({ name }) => name));
});

test.for(shipped.names)("every write of %s has an ensure, so it converges, and a reconciliation has no write", (uses) => {
  const { playbook } = shippedPlaybook(uses);
  const writes = [...stepsIn(playbook.steps)].filter((step) => step.kind === "call" && step.operation.writes);
  expect(writes.length === 0, uses).toBe(playbook.readOnly);
  expect(playbook.readOnly, uses).toBe(uses.startsWith("tokenbook/reconcile-"));
  expect(writes.filter((step) => step.kind === "call" && step.ensure === undefined)).toEqual([]);
});

test("an unknown name is refused with a similar name", async () => {
  await expect(shown({ name: "mnt" })).rejects.toMatchObject({ code: "library.unknown", next: "tokenbook library mint" });
  await expect(shown({ name: "../package" })).rejects.toMatchObject({ code: "library.unknown" });
});
