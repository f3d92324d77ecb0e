import type { ArtifactLocation, Log, ReportingDescriptor, Result } from "sarif";
import { CATALOGUE, CODES } from "../../base/catalogue/catalogue.ts";
import { harmlessDocument } from "../../base/text/harmless.ts";
import { sanitise } from "../../base/text/text.ts";
import { VERSION } from "../../base/version.ts";
import { type Diagnostic, eachOnce } from "../../source/diagnostic.ts";
import { addressOf, type CheckedFile, pathFromRoot, type Places, wordsOf } from "./checked.ts";

const SRCROOT = "%SRCROOT%";

/** Returns the findings as a SARIF 2.1.0 log, with the whole catalogue as its rules. */
export function sarif(files: readonly CheckedFile[], places: Places): string {
  const findings = eachOnce(files).flatMap(({ diagnostics }) => diagnostics);
  const artifacts = [...new Set([...files, ...findings].map(({ file }) => file))];
  const log: Log = {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [
      {
        tool: { driver: { name: "tokenbook", semanticVersion: VERSION, rules: CODES.map(rule) } },
        originalUriBaseIds: {
          [SRCROOT]: { description: { text: "The folder in which the check ran, or the workspace of the CI job." } },
        },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: true }],
        artifacts: artifacts.map((file) => ({ location: locationOf(file, places), roles: ["analysisTarget"] })),
        results: findings.map((finding) => {
          return result(finding, { ...locationOf(finding.file, places), index: artifacts.indexOf(finding.file) });
        }),
      },
    ],
  };
  return harmlessDocument(log);
}

function rule(code: (typeof CODES)[number]): ReportingDescriptor {
  const { severity, title, meaning, cure } = CATALOGUE[code];
  return {
    id: code,
    shortDescription: { text: `${title.charAt(0).toUpperCase()}${title.slice(1)}.` },
    fullDescription: { text: meaning },
    help: { text: `${meaning}\n\nFix: ${cure}` },
    defaultConfiguration: { level: severity },
  };
}

function result(diagnostic: Diagnostic, artifactLocation: ArtifactLocation): Result {
  const { code, severity, line, column, endLine, endColumn } = diagnostic;
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  return {
    ruleId: code,
    ruleIndex: CODES.indexOf(code),
    level: severity,
    message: { text: sanitise(wordsOf(diagnostic)) },
    locations: [{ physicalLocation: { artifactLocation, region } }],
  };
}

function locationOf(file: string, places: Places): ArtifactLocation {
  const path = pathFromRoot(file, places);
  if (path === undefined) return { uri: addressOf(file, places) };
  return { uri: path.split("/").map(encodeURIComponent).join("/"), uriBaseId: SRCROOT };
}
