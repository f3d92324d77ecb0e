// The cases, in the form that every runner receives.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { ScriptedAnswers } from "./server.ts";

/** How a run ended: `refused` before the first request. */
export type CaseEnd = "passed" | "failed" | "refused";

/** What a runner did with a case. */
export interface CaseOutcome {
  /** The requests for the document's operations that reached the server, in their order. */
  readonly requests: readonly string[];
  readonly end: CaseEnd;
  /** Why the runner refused the document, or that the run did not end. */
  readonly why?: string | undefined;
}

/** One case: a document, a server that answers by a script, and what must happen according to the standard. */
export interface ConformanceCase {
  readonly id: string;
  readonly about: string;
  /** The section of the standard that decides the case. */
  readonly standard: string;
  /** The document without its head. */
  readonly document: string;
  readonly version?: string;
  readonly server: ScriptedAnswers;
  /** Has no `end` if the standard does not say whether the workflow passes. */
  readonly expect: Pick<CaseOutcome, "requests"> & { readonly end?: CaseEnd };
}

/** Returns all cases, in the order of their files. */
export function readCases(): readonly ConformanceCase[] {
  const folder = fileURLToPath(new URL("cases/", import.meta.url));
  return globSync("*.yaml", { cwd: folder })
    .toSorted()
    .flatMap((file) => parse(readFileSync(folder + file, "utf8")) as readonly ConformanceCase[]);
}

/** Returns the whole document of a case. */
export function documentOf({ id, version = "1.0.1", document }: ConformanceCase): string {
  return `arazzo: ${version}
info: { title: ${id}, version: 1.0.0 }
sourceDescriptions: [{ name: ledger, url: ledger.openapi.yaml, type: openapi }]
${document}`;
}

/** Returns whether a runner did what the standard says. A runner that refuses a document sends nothing, and the workflow does not pass. */
export function isAsExpected({ expect }: ConformanceCase, { requests, end, why }: CaseOutcome): boolean {
  const endsAlike = expect.end === undefined ? end !== "refused" : (end === "passed") === (expect.end === "passed");
  return endsAlike && (why === undefined || end === "refused") && JSON.stringify(requests) === JSON.stringify(expect.requests);
}
