import { jsonEquals, writeJson } from "../base/json/json.ts";
import { count } from "../base/text/text.ts";
import { type Calibration, CALIBRATIONS } from "./calibrate.ts";
import { type CalibrationFinding, isChange } from "./finding.ts";
import type { SettingEffect } from "./service.ts";

/** Returns the output of `calibrate --json`. */
export function calibrationJson(calibration: Calibration): string {
  const { findings, ...rest } = calibration;
  const shown = findings.map(({ setting, ...finding }) => ({
    setting: setting.join("."),
    differs: isChange({ setting, ...finding }),
    ...finding,
  }));
  return `${writeJson({ format: 1, ...rest, findings: shown, guarantee: meaningForGuarantee(findings) }, 2)}\n`;
}

// Returns what the findings mean for the guarantee, one sentence each.
function meaningForGuarantee(findings: readonly CalibrationFinding[]): readonly string[] {
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

/** Returns the report of a calibration for people. */
export function calibrationLines(calibration: Calibration): readonly string[] {
  const { findings, facts, left, environment, requests } = calibration;
  const differing = findings.filter(isChange);
  const holding = findings.filter((finding) => finding.strength !== "undecided" && !isChange(finding));
  const undecided = findings.filter(({ strength }) => strength === "undecided");
  return [
    ...part("Differs from the profile", differing, (finding) => [
      `  ~ ${finding.setting.join(".")}: ${writeJson(finding.was)} → ${writeJson(finding.found)}  (${finding.strength})`,
      `    ${finding.why}`,
      ...finding.evidence.map(({ request, answer }) => `    ${request}  →  ${answer}`),
    ]),
    ...part("As the profile says", holding, (finding) => [
      `  ✓ ${finding.setting.join(".")}: ${writeJson(finding.found)}  (${finding.strength}: ${finding.why})`,
    ]),
    ...part("Not decided: the profile stays as it is", undecided, ({ setting, was, why }) => [
      `  ? ${setting.join(".")}: ${writeJson(was)}  (${why})`,
    ]),
    ...part("Also seen", facts, ({ about, says }) => [`  ${about}: ${says}`]),
    ...part("What this means for the guarantee", meaningForGuarantee(findings), (sentence) => [`  ${sentence}`]),
    ...part("Left in the service", left, (each) => [`  ${each}`]),
    `${environment}: ${count(holding.length, "setting")} as the profile says, ${differing.length} differ, ${undecided.length} not decided, by ${count(requests, "request")}`,
  ];
}

function part<T>(heading: string, members: readonly T[], lines: (member: T) => readonly string[]): readonly string[] {
  return members.length === 0 ? [] : [heading, ...members.flatMap(lines), ""];
}

/** Returns the profile edits that the findings require. */
export function editsOf(findings: readonly CalibrationFinding[]): readonly Pick<CalibrationFinding, "setting" | "found">[] {
  return findings.filter(isChange);
}
