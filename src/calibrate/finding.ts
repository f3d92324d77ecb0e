import { isObject, type Json, jsonEquals, type JsonObject, parseJson, plainView } from "../base/json/json.ts";
import { placedAt } from "../base/json/parts.ts";
import { DEFAULT_PROFILE, type Profile } from "../contract/profile.ts";

/** The request and the answer behind a finding, without secrets. */
export interface ObservedExchange {
  /** The request on one line: method, path, headers and body; cut at `LIMITS.calibrateShownChars`. */
  readonly request: string;
  /** The status and the text of the answer on one line, or why there is none; cut in the same way. */
  readonly answer: string;
}

/**
 * `observed`: only this value explains the answers. `consistent`: the answers fit this value, and another one is unlikely. `undecided`: nothing is proposed.
 */
export type Strength = "observed" | "consistent" | "undecided";

/** What the answers of a service show about one setting of the profile. */
export interface CalibrationFinding {
  /** The path of the setting in the profile. */
  readonly setting: readonly string[];
  /** How sure the finding is. */
  readonly strength: Strength;
  /** The value in the environment's profile. */
  readonly was: Json;
  /** The value that was found, or the current one if the setting is undecided. */
  readonly found: Json;
  /** Why it is undecided, or what was observed, in one sentence. */
  readonly why: string;
  /** The exchanges that show it; empty if it does not depend on single answers. */
  readonly evidence: readonly ObservedExchange[];
}

/** An observation about the service that no setting covers. */
export interface CalibrationFact {
  /** What it is about, such as `receipts`. */
  readonly about: string;
  /** The observation, as a continuation of `about`. */
  readonly says: string;
}

/** A decision about a setting, before it is compared with the profile. */
export interface SettingDecision extends Pick<CalibrationFinding, "found" | "why" | "evidence"> {
  /** How sure the decision is. */
  readonly strength: Exclude<Strength, "undecided">;
}

/** Returns the value of a setting with exact numbers; `undefined` if a map does not have the key. */
export function settingAt(profile: Profile, setting: readonly string[]): Json | undefined {
  const value = setting.reduce<unknown>(
    (part, key) => (isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined),
    profile,
  );
  return value === undefined ? undefined : parseJson(JSON.stringify(value));
}

/** Returns the profile with another value for one setting. */
export function withSetting(profile: Profile, setting: readonly string[], value: Json): Profile {
  return placedAt(profile as unknown as JsonObject, setting, plainView(value) as Json) as unknown as Profile;
}

/** The findings of one calibration, and the profile as known so far. */
export class CalibrationFindings {
  readonly #was: Profile;
  readonly #findings = new Map<string, CalibrationFinding>();
  /** Observations that no setting covers, in order. */
  readonly facts: CalibrationFact[] = [];
  /** The environment's profile with the values found so far. */
  profile: Profile;

  constructor(was: Profile) {
    this.#was = was;
    this.profile = was;
  }

  /** Records a decision. It replaces an undecided finding, but never another decision. */
  decide(setting: readonly string[], { strength, found, why, evidence }: SettingDecision): void {
    if (this.isDecided(setting)) return;
    this.#findings.set(setting.join("."), { setting, strength, was: this.#at(setting), found, why, evidence });
    this.profile = withSetting(this.profile, setting, found);
  }

  /** Records a value that the answers prove. */
  observe(setting: readonly string[], found: Json, why: string, evidence: readonly ObservedExchange[]): void {
    this.decide(setting, { strength: "observed", found, why, evidence });
  }

  /** Takes a decision back, because later answers contradict it. The profile has its first value again. */
  contradict(setting: readonly string[], why: string, evidence: readonly ObservedExchange[]): void {
    this.#findings.delete(setting.join("."));
    this.leave(setting, why, evidence);
    const was = settingAt(this.#was, setting);
    if (was !== undefined) this.profile = withSetting(this.profile, setting, was);
  }

  /** Records why a setting is undecided. */
  leave(setting: readonly string[], why: string, evidence: readonly ObservedExchange[] = []): void {
    if (this.isDecided(setting)) return;
    const was = this.#at(setting);
    this.#findings.set(setting.join("."), { setting, strength: "undecided", was, found: was, why, evidence });
  }

  /** Returns whether a value of a setting was found. */
  isDecided(setting: readonly string[]): boolean {
    return (this.#findings.get(setting.join("."))?.strength ?? "undecided") !== "undecided";
  }

  /** Returns every finding in the order of the profile. A setting without a finding is undecided, for the reason `unsaid`. */
  all(unsaid: string): readonly CalibrationFinding[] {
    for (const setting of settingsOf(DEFAULT_PROFILE)) {
      if (!this.#findings.has(setting.join("."))) this.leave(setting, unsaid);
    }
    const order = settingsOf(DEFAULT_PROFILE).map((setting) => setting.join("."));
    const rank = ({ setting }: CalibrationFinding): number => order.findIndex((name) => setting.join(".").startsWith(name));
    const isMapItself = ({ setting }: CalibrationFinding): boolean =>
      [...this.#findings.values()].some(
        (each) => each.setting.length > setting.length && each.setting.join(".").startsWith(`${setting.join(".")}.`),
      );
    return [...this.#findings.values()].filter((each) => !isMapItself(each)).toSorted((one, other) => rank(one) - rank(other));
  }

  #at(setting: readonly string[]): Json {
    return settingAt(this.#was, setting) ?? null;
  }
}

/** Returns whether a finding requires another value than the environment has. */
export function isChange({ strength, was, found }: CalibrationFinding): boolean {
  return strength !== "undecided" && !jsonEquals(was, found);
}

/** Returns the path of each single setting. */
function settingsOf(part: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  const inner = isObject(part) ? Object.entries(part) : [];
  return inner.length === 0 ? [at] : inner.flatMap(([key, value]) => settingsOf(value, [...at, key]));
}
