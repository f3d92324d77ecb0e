import { writeJson } from "../../base/json/json.ts";
import { harmlessJson } from "../../base/text/harmless.ts";
import type { PlanDocument } from "./shape.ts";

/** A plan as JSON, as `plan --json` prints it and `--out` keeps it. Numbers keep every digit. */
export function planJson(plan: PlanDocument): string {
  return `${harmlessJson(writeJson(plan, 2))}\n`;
}
