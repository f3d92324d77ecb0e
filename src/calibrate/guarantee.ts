import { jsonEquals } from "../base/json/json.ts";
import { CALIBRATIONS } from "./calibrate.ts";
import type { CalibrationFinding } from "./finding.ts";
import type { SettingEffect } from "./service.ts";

/** Returns what the findings mean for the guarantee, a sentence each. */
export function meaningForGuarantee(findings: readonly CalibrationFinding[]): readonly string[] {
  const effects: Readonly<Record<string, SettingEffect>> = Object.assign(
    {},
    ...Object.values(CALIBRATIONS).map(({ effects: own }) => own),
  );
  return findings.flatMap(({ setting, strength, found }) => {
    const effect = effects[setting.join(".")];
    if (effect === undefined) return [];
    if (strength === "undecided") return [effect.undecided];
    return (effect.values ?? []).filter(({ value }) => jsonEquals(value, found)).map(({ means }) => means);
  });
}
