import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkDocument } from "../../../src/interchange/check.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { realFiles } from "./helper.ts";

const paths = globSync("test/faulty/*.yaml").toSorted();

test.for(paths)("the check finds each mistake of %s at its exact place", (path) => {
  const text = readFileSync(path, "utf8");
  const expected = [...text.matchAll(/^# expect: (.+)$/gm)].map(([, what]) => what);
  const { playbook, diagnostics } = checkDocument(path, text, realFiles);
  const own = diagnostics.filter(({ file }) => file === path);
  expect(own.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual(expected);
  expect(playbook === undefined).toBe(own.some(({ severity }) => severity === "error"));
});

test("no message contains words of a library or an unknown value", () => {
  for (const path of paths) {
    const shown = checkDocument(path, readFileSync(path, "utf8"), realFiles).diagnostics.map(formatDiagnostic).join("\n");
    expect(shown, path).not.toMatch(/undefined|\[object|NaN|stringKeys|EOF|must NOT|call stack/);
  }
  expect(paths.length).toBeGreaterThanOrEqual(220);
});
