import { isObject } from "../../base/json/json.ts";
import { DEFAULT_PROFILE } from "../../contract/profile.ts";
import { child, toJson } from "../../source/node.ts";
import type { SureFields } from "./step-names.ts";
import { operationIn } from "../steps/operation-name.ts";
import type { Outline } from "../outline.ts";

const ALWAYS = ["outcome", "ensured"];

/**
 * Returns the fields that a step with `ensure` has even if nothing was sent: the answer of the read, and values of its own input, such as a
 * given id.
 */
export function sureFields(all: ReadonlyMap<string, Outline>): SureFields {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  return (id) => {
    if (!known.has(id)) known.set(id, fieldsOf(all.get(id)));
    return known.get(id);
  };
}

function fieldsOf(outline: Outline | undefined): ReadonlySet<string> | undefined {
  if (outline === undefined || !outline.node.entries.has("ensure")) return undefined;
  const node = child(outline.node, "with");
  const input = node === undefined ? {} : toJson(node);
  const yields = Object.entries(operationIn(outline.node, "uses")?.yields ?? {}).filter(
    ([, { from }]) => isObject(input) && from({ input, payload: null, found: undefined, profile: DEFAULT_PROFILE }) !== undefined,
  );
  return new Set([...ALWAYS, ...yields.map(([name]) => name)]);
}
