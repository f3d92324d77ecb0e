import { services } from "../services/services.ts";
import { type Range, type ScalarNode, type SourceNode, textOf } from "../source/node.ts";
import { parseUnshown } from "../source/unshown.ts";
import { isReference } from "../base/secret.ts";
import { EMBEDDED } from "./schema.ts";
import { hiddenPartsOf } from "./values.ts";

/** What messages show below a setting: everything, or the settings in it. Values of settings that are not listed are shown only if they refer to a key. */
type ShownSettings = "everything" | { readonly [setting: string]: ShownSettings };

const KEYS: ShownSettings = {};
/** In place of every name that people choose. */
const ANY_NAME = "*";

const SETTINGS: ShownSettings = {
  environments: {
    [ANY_NAME]: {
      ...Object.fromEntries(services.map(({ name, settings }) => [name, settingsOf(Object.keys(settings))])),
      exclusive: "everything",
      protected: "everything",
      settleWithin: "everything",
      readLag: "everything",
      pacing: "everything",
      timeout: "everything",
      profile: "everything",
    },
  },
  notifications: { [ANY_NAME]: { url: KEYS, secret: KEYS, command: KEYS, events: "everything", timeout: "everything" } },
  state: { postgres: KEYS, schema: "everything", accept: "everything" },
  heartbeat: KEYS,
};

function settingsOf(names: readonly string[]): ShownSettings {
  const plain = ["baseUrl", "keyEntity", ...names].map((name) => [name, "everything"] as const);
  return { ...Object.fromEntries(plain), apiKey: KEYS, credentials: { [ANY_NAME]: KEYS } };
}

/**
 * Returns the parts of an environment file that messages may show: the names of settings, references to keys, and the values of settings that are not keys.
 * Anything else may be a key that somebody wrote into the file, under a misspelt name or in a wrong place.
 */
export function shownParts(root: SourceNode): readonly Range[] {
  return partsOf(root, SETTINGS)
    .filter(({ isHarmless }) => isHarmless)
    .map(({ range }) => range);
}

/** Returns the text of an environment file without the values that messages may not show. */
export function shownText(path: string, text: string): string {
  const { file, root } = parseUnshown(path, text);
  const parts = root === undefined ? [] : partsOf(root, SETTINGS);
  file.conceal(parts.filter(({ isHarmless }) => !isHarmless).map(({ range }) => range));
  return file.shown;
}

interface ShownPart {
  readonly range: Range;
  readonly isHarmless: boolean;
}

function partsOf(node: SourceNode, shown: ShownSettings | undefined): readonly ShownPart[] {
  if (node.kind === "scalar") return [{ range: node.range, isHarmless: mayShow(node, shown) }];
  if (node.kind === "list") return node.items.flatMap((item) => partsOf(item, shown));
  return Array.from(node.entries).flatMap(([name, { key, value }]) => [
    { range: key, isHarmless: shown !== undefined && shown !== KEYS },
    ...partsOf(value, below(shown, name)),
  ]);
}

function below(shown: ShownSettings | undefined, name: string): ShownSettings | undefined {
  if (shown === undefined || shown === "everything") return shown;
  return Object.hasOwn(shown, name) ? shown[name] : shown[ANY_NAME];
}

function mayShow(node: ScalarNode, shown: ShownSettings | undefined): boolean {
  const text = textOf(node) ?? "";
  return isReference(text) || text === EMBEDDED || (shown === "everything" && hiddenPartsOf(text).length === 0);
}
