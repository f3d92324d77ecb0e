import { harmlessJson } from "../../base/text/harmless.ts";
import type { SkippedFile } from "../shape.ts";
import type { CheckedFile } from "./checked.ts";

/** What `check --json` prints; `schemas/check.schema.json` describes it. Fields are added, never renamed. */
export function checkJson(files: readonly CheckedFile[], skipped: readonly SkippedFile[] = []): string {
  const report = { format: 1, ok: files.every(({ ok }) => ok), files, skipped };
  return `${harmlessJson(JSON.stringify(report, undefined, 2))}\n`;
}
