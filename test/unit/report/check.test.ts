import { globSync, readFileSync } from "node:fs";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Draft4 from "ajv-draft-04";
import formats from "ajv-formats";
import type { Log, Result } from "sarif";
import { expect, test } from "vitest";
import { CODES } from "../../../src/base/catalogue/catalogue.ts";
import { harmless } from "../../../src/base/text/harmless.ts";
import { parseJson } from "../../../src/base/json/json.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import type { CheckedFile } from "../../../src/report/check/checked.ts";
import { annotations } from "../../../src/report/check/github.ts";
import { checkJson } from "../../../src/report/check/checked.ts";
import { sarif } from "../../../src/report/check/sarif.ts";
import { SchemaSet } from "../../../src/schema/validator.ts";
import { codeFrame, type Diagnostic, formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { dangersOf, FRAGMENTS } from "./hostile.ts";

const PLACES = { cwd: "/a space/ü", root: "/a space/ü" };

const corpus: readonly CheckedFile[] = globSync("test/faulty/*.yaml")
  .toSorted()
  .map((file) => {
    const { playbook, diagnostics } = checkPlaybook(file, readFileSync(file, "utf8"));
    return { file, ok: playbook !== undefined, diagnostics };
  });

const HOSTILE: Diagnostic = {
  code: "source.number",
  severity: "warning",
  message: "100% wrong:\r\n::error::not, a command\u001b[31m",
  why: "a, b: c",
  suggestion: "50%0A",
  file: "a folder/100%, really: yes.yaml",
  line: 3,
  column: 2,
  endLine: 4,
  endColumn: 1,
  frame: "",
};
const hostile: CheckedFile = { file: HOSTILE.file, ok: true, diagnostics: [HOSTILE] };

test("the JSON of every kind of finding matches the published schema, which allows no other field", () => {
  const validate = new SchemaSet().validator(JSON.parse(readFileSync("schemas/check.schema.json", "utf8")) as object);
  const written = checkJson([...corpus, hostile]);
  expect(validate(parseJson(written))).toEqual([]);
  expect(validate(parseJson(checkJson([])))).toEqual([]);
  for (const field of ['"format"', '"ok": false,\n      "diag', '"code"']) {
    expect(written).toContain(field);
    const keywords = validate(parseJson(written.replace(field, `"stray": 1, ${field}`))).map(({ keyword }) => keyword);
    expect(keywords).toEqual(["additionalProperties"]);
  }
});

// The official schema is written in draft 4, and its patterns fail in Unicode mode.
const ajv = new Draft4.default({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const validSarif = ajv.compile(sarifSchema);

test("the SARIF log of every kind of finding matches the official schema", () => {
  for (const files of [corpus, [hostile], [], [{ file: "/else where/b.yaml", ok: true, diagnostics: [] }]]) {
    validSarif(JSON.parse(sarif(files, PLACES)));
    expect(validSarif.errors).toBeNull();
  }
  const broken = JSON.parse(sarif([hostile], PLACES).replace('"startLine": 3', '"startLine": 0')) as unknown;
  expect(validSarif(broken)).toBe(false);
});

function resultsOf(files: readonly CheckedFile[], places = PLACES): readonly Result[] {
  return (JSON.parse(sarif(files, places)) as Log).runs[0]?.results ?? [];
}

test("a SARIF result has the place of its diagnostic and the rule of its code", () => {
  const log = JSON.parse(sarif(corpus, PLACES)) as Log;
  const rules = log.runs[0]?.tool.driver.rules ?? [];
  expect(rules.map(({ id }) => id)).toEqual(CODES);
  const results = resultsOf(corpus).map(({ ruleIndex = -1, ruleId, level, locations }) => {
    const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {};
    expect(rules[ruleIndex]?.id).toBe(ruleId);
    expect(log.runs[0]?.artifacts?.[artifactLocation?.index ?? -1]?.location?.uri).toBe(artifactLocation?.uri);
    return [artifactLocation?.uri, ruleId, level, region?.startLine, region?.startColumn, region?.endLine, region?.endColumn];
  });
  expect(results).toEqual(
    corpus.flatMap(({ file, diagnostics }) =>
      diagnostics.map(({ code, severity, line, column, endLine, endColumn }) => [
        file,
        code,
        severity,
        line,
        column,
        endLine,
        endColumn,
      ]),
    ),
  );
});

test("a SARIF path is relative within the root and absolute outside, whatever characters it has", () => {
  const at = (file: string, places = PLACES): unknown =>
    resultsOf([{ ...hostile, file, diagnostics: [{ ...HOSTILE, file }] }], places)[0]?.locations?.[0]?.physicalLocation
      ?.artifactLocation;
  expect(at(HOSTILE.file)).toEqual({ uri: "a%20folder/100%25%2C%20really%3A%20yes.yaml", uriBaseId: "%SRCROOT%", index: 0 });
  expect(at("b.yaml", { cwd: "/repo/deep", root: "/repo" })).toEqual({ uri: "deep/b.yaml", uriBaseId: "%SRCROOT%", index: 0 });
  expect(at("../b.yaml")).toEqual({ uri: "file:///a%20space/b.yaml", index: 0 });
  expect(at("/a space/ü/..b.yaml")).toMatchObject({ uri: "..b.yaml" });
});

/** Parses a workflow command as GitHub's runner does. */
function commandOf(line: string): {
  readonly name: string;
  readonly properties: Record<string, string>;
  readonly message: string;
} {
  const [, name = "", given = "", message = ""] = /^::([a-z]+) (.*?)::(.*)$/.exec(line) ?? [];
  const plain = (text: string): string => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n");
  const properties = given.split(",").map((each) => {
    const at = each.indexOf("=");
    return [
      each.slice(0, at),
      plain(
        each
          .slice(at + 1)
          .replaceAll("%3A", ":")
          .replaceAll("%2C", ","),
      ).replaceAll("%25", "%"),
    ];
  });
  return {
    name,
    properties: Object.fromEntries(properties) as Record<string, string>,
    message: plain(message).replaceAll("%25", "%"),
  };
}

test("a GitHub annotation contains the whole diagnostic, and no text in it begins another command", () => {
  const written = annotations([hostile], PLACES);
  expect(written.split("\n")).toHaveLength(2);
  expect(commandOf(written.trimEnd())).toEqual({
    name: "warning",
    properties: { file: HOSTILE.file, line: "3", endLine: "4", title: "source.number" },
    message: "100% wrong:\r\n::error::not, a command\\u001b[31m\nwhy: a, b: c\nfix: 50%0A",
  });
});

test("each finding of the corpus gives one annotation with its place", () => {
  const lines = annotations(corpus, { cwd: "/repo/sub", root: "/repo" }).trimEnd().split("\n");
  const found = corpus.flatMap(({ diagnostics }) => diagnostics);
  expect(lines).toHaveLength(found.length);
  lines.forEach((line, at) => {
    const { name, properties } = commandOf(line);
    const { severity, code, file, line: first, column } = found[at] as Diagnostic;
    expect({ name, ...properties }).toMatchObject({ name: severity, file: `sub/${file}`, line: String(first), title: code });
    expect(properties["col"]).toBe(properties["line"] === properties["endLine"] ? String(column) : undefined);
  });
});

test.each(FRAGMENTS.map((text) => text.toWellFormed()))(
  "no format of a check contains a text that its reader obeys: %j",
  (text) => {
    const place = { file: text, line: 1, column: 1, endLine: 1, endColumn: 2 };
    const diagnostic = { ...HOSTILE, ...place, message: text, why: text, suggestion: text, frame: codeFrame([text], 1, place) };
    const file: CheckedFile = { file: text, ok: false, diagnostics: [diagnostic] };
    const outputs = {
      json: checkJson([file]),
      sarif: sarif([file], PLACES),
      github: annotations([file], PLACES).replaceAll(/^::warning /gm, ""),
      text: harmless(formatDiagnostic(diagnostic)),
    };
    for (const [format, output] of Object.entries(outputs)) expect(dangersOf(output), format).toEqual([]);
    expect(JSON.parse(outputs.json)).toMatchObject({ files: [{ file: text, diagnostics: [{ message: text }] }] });
  },
);
