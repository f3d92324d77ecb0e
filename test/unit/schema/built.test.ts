import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { contract } from "../../../src/contract/contract.ts";
import { loadEnvironment } from "../../../src/environment/load.ts";
import { validatorOf } from "../../../src/contract/validators.ts";
import { readAnswer } from "../../../src/operations/answer.ts";
import { operations } from "../../../src/operations/operation.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { readDialect } from "../../../src/sandbox/dialect.ts";
import { readFaults } from "../../../src/sandbox/faults/plan.ts";
import { readBody, readParameters } from "../../../src/sandbox/http/parameters.ts";
import { ServiceRefusal } from "../../../src/sandbox/refusal.ts";
import { readSeed } from "../../../src/sandbox/seed/read.ts";

// Behaves as in the build: nothing is compiled here, and a check that was not built cannot be found.
vi.mock("../../../src/schema/compile.ts", async () => ({ compile: (await import("../../../src/schema/prebuilt.ts")).find }));

test("a schema that the build does not know has no check", () => {
  expect(() => validatorOf({ type: "string", minLength: 77 })).toThrow(/Cannot find module/);
});

test("built checks exist for every playbook", () => {
  for (const path of ["test/faulty/*.yaml", "playbooks/*/*.yaml"].flatMap((pattern) => globSync(pattern))) {
    expect(() => checkPlaybook(path, readFileSync(path, "utf8")), path).not.toThrow();
  }
});

test("built checks exist for the input of every operation, and of every batch", () => {
  for (const name of operations.keys()) {
    for (const input of ["{}", "{ items: [] }"]) {
      const text = `playbook: 1\nsteps: [{ uses: ${name}, with: ${input} }]\n`;
      expect(() => checkPlaybook("p.yaml", text), name).not.toThrow();
    }
  }
});

test("built checks exist for the answer of every operation", () => {
  for (const operation of operations.values()) expect(() => readAnswer(operation, []), operation.name).not.toThrow();
});

test("a built check of very many problems ends", () => {
  const { response = {} } = operations.get("ledger.token.list")?.call ?? {};
  const rows = (length: number): object => ({ records: Array.from({ length }, () => null) });
  expect(validatorOf(response)(rows(1_000))).toHaveLength(1_000);
  expect(validatorOf(response)(rows(260_000))).toHaveLength(250_001);
});

test("built checks exist for an environment file", () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-built-"));
  const file = join(folder, "tokenbook.yaml");
  writeFileSync(file, "environments: { bench: {} }\n");
  expect(loadEnvironment(file, { name: undefined, cwd: folder, variables: {} })).toMatchObject({ environment: "bench" });
  rmSync(folder, { recursive: true });
});

test("built checks exist for the settings and the requests of the sandbox", () => {
  expect(readSeed({})).toBeDefined();
  expect(readFaults([{ fault: "html" }])).toHaveLength(1);
  expect(readDialect({ numbers: "exponent" })).toMatchObject({ numbers: "exponent" });
  const refused = (work: () => unknown, name: string): void => {
    try {
      work();
    } catch (error) {
      expect(error, name).toBeInstanceOf(ServiceRefusal);
    }
  };
  for (const operation of Object.values(contract.operations)) {
    refused(() => readBody(operation, "{}"), operation.name);
    for (const parameter of operation.parameters) {
      const given = { [parameter.name]: parameter.schema.type === "boolean" ? "true" : "1" };
      const source = {
        path: given,
        query: parameter.in === "query" ? given : {},
        names: {},
        common: [],
        unknownParameters: "refused" as const,
      };
      refused(() => readParameters({ ...operation, parameters: [{ ...parameter, required: false }] }, source), operation.name);
    }
  }
});
