import { ENTITY_PATTERN } from "../../base/entity.ts";
import { LIMITS } from "../../base/limits.ts";
import { conservedThings, hasEntities, type Service, services } from "../../services/services.ts";
import type { MapEntry, MapNode } from "../../source/node.ts";
import { KEY_ACTS } from "../steps/identity.ts";
import {
  duration,
  elementNode,
  expression,
  type PlainKeyword,
  type Keywords,
  node,
  number,
  type Value,
  type Values,
} from "./keyword.ts";

// The keywords that several parts of a playbook have.

// Words with another meaning in expressions, even after a point.
const NO_WORD = "(?!(?:in|true|false|null)$)";

/** A name that expressions use. */
export const NAME: object = {
  pattern: `^${NO_WORD}[a-z][a-zA-Z0-9_]*$`,
  description: "Letters, digits and _, beginning with a small letter; not in, true, false or null, which expressions reserve.",
};

/** The name of a variable or a secret. */
export const OUTSIDE_NAME: object = {
  pattern: `^${NO_WORD}[A-Za-z_][A-Za-z0-9_]*$`,
  description: "Letters, digits and _, not beginning with a digit; not in, true, false or null, which expressions reserve.",
};

/** A name in reports, such as that of a check. */
export const REPORTED_NAME = "^[^\\[\\]/\\n]+$";

const identityWith = (entity: (service: Service) => object): object => ({
  type: "object",
  description: "The identity of an actor on each interface.",
  properties: Object.fromEntries(
    services.map((service) => [service.name, hasEntities(service) ? entity(service) : credential(service)]),
  ),
  additionalProperties: false,
  minProperties: 1,
});

function credential({ title }: Service): object {
  return { type: "string", description: `The name of a credential in the environment: ${title} knows callers by their key.` };
}

/** The identity of an actor. */
export const IDENTITY: object = identityWith(({ title }) => ({
  type: "string",
  pattern: ENTITY_PATTERN,
  description: `The acting entity of ${title}, such as userId:alice.`,
}));

const ACTING = identityWith(({ title }) => ({
  type: "string",
  pattern: `^${KEY_ACTS}$|${ENTITY_PATTERN}`,
  description: `The acting entity of ${title}, such as userId:alice; or ${KEY_ACTS}, the entity of the environment's key.`,
}));

/** Who acts. */
export const AS: Keywords<Values<"as">> = {
  as: node(
    { anyOf: [{ type: "string" }, ACTING] },
    "Who acts: the name of an actor, an entity as ${{ expression }}, or an identity; { ledger: key } is the key's own.",
    { names: "actor" },
  ),
};

/** A read beside a step, or a read that a side of a comparison makes. */
export type SideReadFields = Values<"as" | "read" | "with">;

/** The keywords of such a read. */
export const SIDE_READ: Keywords<SideReadFields> = {
  ...AS,
  read: expression("The operation that reads, such as ledger.token.get.", { names: "read" }),
  with: node({ type: "object" }, "Its input."),
};

/** The keywords of a `foreach`. The other name in it is that of the item. */
export const FOREACH: Keywords<Values<"key"> & { readonly parallel: number }> = {
  key: expression("An expression that gives each round its name, such as h in {h: [a, b], key: h}, or h.id.", { required: true }),
  parallel: number({ type: "integer", minimum: 1, maximum: LIMITS.parallel }, "How many rounds may run at a time", {
    default: "1",
  }),
};

/** Returns the names of a `foreach`'s items, with their lists: every key that is not a keyword. */
export function namesIn({ entries }: MapNode): readonly (readonly [string, MapEntry])[] {
  return [...entries].filter(([name]) => !Object.hasOwn(FOREACH, name));
}

/** The row of a `foreach`. */
export const LOOP: PlainKeyword<Value> = elementNode(
  FOREACH,
  "Once for each item of a list: {NAME: list, key: expression, parallel: 4}.",
  {},
  {
    additionalProperties: { type: ["string", "array"] },
    minProperties: 2,
    maxProperties: 3,
    examples: ['{ item: "${{ inputs.list }}", key: item }'],
  },
);

/** The row of `conserve`. */
export const CONSERVE: PlainKeyword<Value> = node(
  {
    type: "object",
    properties: Object.fromEntries(
      Array.from(conservedThings.keys(), (thing) => [thing, { type: "string", description: `The id of a ${thing}.` }]),
    ),
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  },
  Array.from(conservedThings.values(), ({ law }) => law).join(" "),
);

/** How often, and with which pauses, something that failed is tried again. */
export interface RetryFields {
  /** The total number of attempts, including the first. */
  readonly attempts: number | undefined;
  /** The pause before the second attempt, in milliseconds. */
  readonly every: number;
  /** The factor by which each pause is longer than the previous one. */
  readonly backoff: number;
}

/** The schema of a growing pause. */
export const BACKOFF = { type: "number", minimum: 1 };

/** Returns the keywords of a `retry`. `every` is the default of its first pause. */
export function retryWith(every: string): Keywords<RetryFields> {
  return {
    attempts: number({ type: "integer", minimum: 2, maximum: LIMITS.retries }, "How many tries in total.", { required: true }),
    every: duration("The pause before the second try", { default: every }),
    backoff: number(BACKOFF, "Each pause is this many times the previous one", { default: "2" }),
  };
}
