import { DURATION_PATTERN } from "../base/duration.ts";
import { ENTITY_PATTERN } from "../base/entity.ts";
import { LIMITS } from "../base/limits.ts";
import { conservedThings, hasEntities, type Service, services } from "../services/services.ts";
import { KEY_ACTS } from "./identity.ts";

// What several parts of the frame have in common.

/** A JSON Schema of an object. */
export interface Frame {
  readonly type: "object";
  readonly description?: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

// Words that mean something else in an expression, even behind a point.
export const NO_WORD: string = "(?!(?:in|true|false|null)$)";
const NO_ID = "(?!(?:in|true|false|null|checks)$)";
/** A name that expressions use. */
export const name: object = {
  pattern: `^${NO_WORD}[a-z][a-zA-Z0-9_]*$`,
  description:
    "Letters, digits and _, beginning with a small letter; not in, true, false or null, which expressions keep for themselves.",
};
export const STEP_ID: string = `^${NO_ID}[a-z][a-z0-9_]*$`;

/** A duration, and what it is for. */
export function duration(description: string): object {
  return {
    type: "string",
    pattern: DURATION_PATTERN,
    description: `${description} A number and a unit: 500ms, 30s, 10m, 2h, 1d.`,
  };
}

function identityOf(properties: Readonly<Record<string, object>>): object {
  return {
    type: "object",
    description: "Whom an actor is on each interface.",
    properties,
    additionalProperties: false,
    minProperties: 1,
  };
}

function eachService(schemaOf: (service: Service) => object): Readonly<Record<string, object>> {
  return Object.fromEntries(services.map((service) => [service.name, schemaOf(service)]));
}

function credential({ title }: Service): object {
  return { type: "string", description: `The name of a credential in the environment: ${title} knows callers by their key.` };
}

export const identity: object = identityOf(
  eachService((service) =>
    hasEntities(service)
      ? {
          type: "string",
          pattern: ENTITY_PATTERN,
          description: `The acting entity of ${service.title}, such as userId:alice.`,
        }
      : credential(service),
  ),
);

const actingIdentity = identityOf(
  eachService((service) =>
    hasEntities(service)
      ? {
          type: "string",
          pattern: `^${KEY_ACTS}$|${ENTITY_PATTERN}`,
          description: `The acting entity of ${service.title}, such as userId:alice; or ${KEY_ACTS}, the entity of the environment's key.`,
        }
      : credential(service),
  ),
);

/** Who acts. */
export const as: object = {
  description:
    "Who acts: the name of an actor, an entity as ${{ expression }}, or an identity; { ledger: key } is the key's own.",
  anyOf: [{ type: "string" }, actingIdentity],
};

export const foreach: object = {
  type: "object",
  description: "Once for each item of a list: {NAME: list, key: expression, parallel: 4}.",
  properties: {
    key: { type: "string", description: "An expression that gives each round its name." },
    parallel: {
      type: "integer",
      minimum: 1,
      maximum: LIMITS.parallel,
      description: "How many rounds may be under way at a time; one, when left out.",
    },
  },
  additionalProperties: { type: ["string", "array"] },
  minProperties: 2,
  maxProperties: 3,
  required: ["key"],
};

/** A read that stands beside a step, or that a side of a comparison makes. */
export const sideRead: Readonly<Record<"read" | "with" | "as", object>> = {
  read: { type: "string", description: "The operation that reads, such as ledger.token.get." },
  with: { type: "object", description: "Its input." },
  as,
};

/** What is conserved, in a check or in a comparison. */
export const conserve: object = {
  type: "object",
  description: Array.from(conservedThings.values(), ({ law }) => law).join(" "),
  properties: Object.fromEntries(
    Array.from(conservedThings.keys(), (thing) => [thing, { type: "string", description: `The id of a ${thing}.` }]),
  ),
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
};
