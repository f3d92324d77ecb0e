import { didYouMean, lettersOf } from "./text/text.ts";

/** The pattern of an entity as people write it: an attribute and its value without spaces around the value, as in `userId:alice`. */
export const ENTITY_PATTERN = "^[A-Za-z][A-Za-z0-9_]*:\\S(?:.*\\S)?$";

const ENTITY = /^([A-Za-z][A-Za-z0-9_]*):(\S(?:.*\S)?)$/s;

/** Returns the attribute and the value of an entity as people write it. */
export function readEntity(text: string): { readonly attribute: string; readonly value: string } | undefined {
  const [, attribute, value] = ENTITY.exec(text) ?? [];
  return attribute === undefined || value === undefined ? undefined : { attribute, value };
}

/** Returns the attributes of a text that is meant to hold several, as in `orgId:org1,userId:alice`; undefined for a single value, or none. */
export function severalAttributes(text: string): Readonly<Record<string, string>> | undefined {
  const parts = text.split(",").map((part) => readEntity(part.trim()));
  if (parts.length < 2 || !parts.every((part) => part !== undefined)) return undefined;
  return Object.fromEntries(parts.map(({ attribute, value }) => [attribute, value]));
}

/** The attributes in the service description. There may be others, because an entity is an open map. */
const ENTITY_ATTRIBUTES: readonly string[] = ["orgId", "userId"];

/** Returns the known attribute that a misspelt name means: it differs in case, order of letters or one letter. `borrowerId` is another attribute. */
export function meantAttribute(name: string): string | undefined {
  if (ENTITY_ATTRIBUTES.includes(name)) return undefined;
  const plain = name.replaceAll(/[_-]/g, "").toLowerCase();
  const same = ENTITY_ATTRIBUTES.find((each) => each.toLowerCase() === plain || lettersOf(each) === lettersOf(plain));
  return same ?? didYouMean(name, ENTITY_ATTRIBUTES, 1);
}
