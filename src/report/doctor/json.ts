import { harmlessJson } from "../../base/text/harmless.ts";
import type { DoctorDocument } from "./shape.ts";

/** What `doctor --json` prints. */
export function doctorJson(document: DoctorDocument): string {
  return `${harmlessJson(JSON.stringify(document, undefined, 2))}\n`;
}
