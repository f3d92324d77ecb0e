import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { ownValue } from "../../../base/maps.ts";
import { didYouMean } from "../../../base/text/text.ts";
import { printText } from "../../print/result.ts";
import { shippedPlaybooks } from "../../project/shipped.ts";
import type { Command } from "../../shell.ts";

const SCHEMAS: Readonly<Record<string, () => Promise<object>>> = {
  playbook: async () => (await import("../../../playbook/keywords/editor-schema.ts")).playbookSchema(shippedPlaybooks()),
  environment: async () => (await import("../../../environment/schema.ts")).environmentSchema,
  calibrate: async () => (await import("../../../../schemas/calibrate.schema.json", { with: { type: "json" } })).default,
  check: async () => (await import("../../../../schemas/check.schema.json", { with: { type: "json" } })).default,
  crash: async () => (await import("../../../../schemas/crash.schema.json", { with: { type: "json" } })).default,
  drift: async () => (await import("../../../../schemas/drift.schema.json", { with: { type: "json" } })).default,
  doctor: async () => (await import("../../../../schemas/doctor.schema.json", { with: { type: "json" } })).default,
  faults: async () => (await import("../../../../schemas/faults.schema.json", { with: { type: "json" } })).default,
  seed: async () => (await import("../../../../schemas/seed.schema.json", { with: { type: "json" } })).default,
  event: async () => (await import("../../../protocol/event-schema.ts")).eventSchema,
  plan: async () => (await import("../../../../schemas/plan.schema.json", { with: { type: "json" } })).default,
  notification: async () => (await import("../../../../schemas/notification.schema.json", { with: { type: "json" } })).default,
  schedule: async () => (await import("../../../../schemas/schedule.schema.json", { with: { type: "json" } })).default,
  runs: async () => (await import("../../../../schemas/runs.schema.json", { with: { type: "json" } })).default,
  report: async () => (await import("../../../../schemas/report.schema.json", { with: { type: "json" } })).default,
};

/** The schemas that can be printed. */
export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS);

/** `tokenbook schema`: prints the JSON Schemas of files that people write and of output that we print. */
export const schema: Command<{ readonly name: string }> = async (shell, { name }) => {
  const load = ownValue(SCHEMAS, name);
  if (load === undefined) {
    const near = didYouMean(name, SCHEMA_NAMES) ?? "playbook";
    throw new Failure({
      code: "schema.unknown",
      message: `there is no schema "${name}"; there are ${SCHEMA_NAMES.join(", ")}`,
      next: command`schema ${near}`,
    });
  }
  return printText(shell, `${JSON.stringify(await load(), undefined, 2)}\n`, "json");
};
