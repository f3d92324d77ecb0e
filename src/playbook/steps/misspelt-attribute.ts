import type { Finding } from "../../source/diagnostic.ts";

/** Returns the finding for a misspelt attribute of an entity. */
export function misspeltAttribute({ attribute, near }: { readonly attribute: string; readonly near: string }): Finding {
  return {
    code: "playbook.entity-attribute",
    message: `an entity has "${near}", and this says "${attribute}"`,
    suggestion: `did you mean "${near}"?`,
  };
}

/** Returns the finding for several attributes in one text: they would all become the value of the first. */
export function attributesInOneText(attributes: Readonly<Record<string, string>>): Finding {
  const { orgId: _orgId, ...others } = attributes;
  const [own, ...more] = Object.entries(others).map(([name, value]) => `${name}:${value}`);
  const map = Object.entries(attributes).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return {
    code: "playbook.entity-attribute",
    message: `an entity that is one text has one attribute, and this says ${Object.keys(attributes).join(" and ")}`,
    suggestion: `${own === undefined || more.length > 0 ? "" : `${own} where it is of the environment's organization; in \`with\`, also `}{ ${map.join(", ")} }`,
  };
}
