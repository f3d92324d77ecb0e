import { writeJson } from "../../base/json.ts";
import { sanitise } from "../../base/text.ts";
import type { PlanDocument } from "./shape.ts";

/** A plan as JSON, as `plan --json` prints it and `--out` keeps it. Numbers keep every digit. */
export function planJson(plan: PlanDocument): string {
  return `${sanitise(writeJson(plan, 2))}\n`;
}
