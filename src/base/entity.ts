/** The pattern of an entity as people write it: an attribute and its value, which no space surrounds, as in `userId:alice`. */
export const ENTITY_PATTERN = "^[A-Za-z][A-Za-z0-9_]*:\\S(?:.*\\S)?$";

const ENTITY = /^([A-Za-z][A-Za-z0-9_]*):(\S(?:.*\S)?)$/s;

/** The attribute and the value of an entity as people write it. */
export function readEntity(text: string): { readonly attribute: string; readonly value: string } | undefined {
  const [, attribute, value] = ENTITY.exec(text) ?? [];
  return attribute === undefined || value === undefined ? undefined : { attribute, value };
}
