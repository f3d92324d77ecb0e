import { sanitise } from "../../base/text.ts";
import type { DoctorDocument } from "./shape.ts";

/** What `doctor --json` prints. */
export function doctorJson(document: DoctorDocument): string {
  return `${sanitise(JSON.stringify(document, undefined, 2))}\n`;
}
