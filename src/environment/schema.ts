import { contract } from "../contract/contract.ts";
import { DURATION_PATTERN } from "../base/time/duration.ts";
import { ENTITY_PATTERN } from "../base/entity.ts";
import { hasEntities, type Service, services } from "../services/services.ts";
import { RISKS } from "../sql/place.ts";
import { SECRET_REFERENCE } from "../base/secret.ts";

const words = { type: "array", items: { type: "string" }, minItems: 1 };
const text = { type: "string", minLength: 1 };

const reference = {
  type: "string",
  pattern: SECRET_REFERENCE,
  description: "Where the key is: env:NAME or file:PATH. Never write the key itself here.",
  examples: ["env:NAME"],
};

const baseUrl = {
  type: "string",
  pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*)?$",
  description: "Scheme, host and port of the service, and its path if it has one; without user and password.",
  examples: ["https://ledger.example.com:8443"],
};

function schemaOf(service: Service): object {
  const { name, title, settings } = service;
  const texts = Object.entries(settings).map(([setting, { about }]) => [setting, { ...text, description: about }]);
  const keys = hasEntities(service)
    ? {
        apiKey: reference,
        keyEntity: {
          type: "string",
          pattern: ENTITY_PATTERN,
          description: `The entity of the key itself, such as userId:alice. It acts in steps with as: { ${name}: key }.`,
        },
      }
    : { credentials: { type: "object", additionalProperties: reference, minProperties: 1 } };
  const [keyOrKeys = ""] = Object.keys(keys);
  return {
    type: "object",
    description: `${title.charAt(0).toUpperCase()}${title.slice(1)}.`,
    properties: { baseUrl, ...Object.fromEntries(texts), ...keys },
    required: ["baseUrl", ...Object.keys(settings), keyOrKeys],
    additionalProperties: false,
  };
}

const environmentOfService = {
  type: "object",
  properties: {
    ...Object.fromEntries(services.map((each) => [each.name, schemaOf(each)])),
    exclusive: { type: "boolean", description: "Nobody else acts as these entities during a run." },
    protected: {
      type: "boolean",
      description:
        "A run that writes here needs a person's consent: the name of the environment, typed when `run` asks for it; --yes; or a plan that somebody else has approved.",
    },
    settleWithin: {
      type: "string",
      pattern: DURATION_PATTERN,
      description:
        "A write that has not taken effect after this time never will. It counts only together with readLag, because a read may not yet show what has taken effect.",
    },
    readLag: {
      type: "string",
      pattern: DURATION_PATTERN,
      description:
        "A read shows everything that took effect this long before it. `0s`: reads are strongly consistent. Without it, any read may be old, so a missing effect proves nothing.",
    },
    pacing: {
      type: "object",
      description: "How many reads each interface may get. Writes are not limited.",
      properties: {
        perSecond: { type: "integer", minimum: 1, description: "Reads in one second." },
        atOnce: { type: "integer", minimum: 1, description: "Reads at the same time." },
      },
      additionalProperties: false,
      minProperties: 1,
    },
    timeout: {
      type: "string",
      pattern: DURATION_PATTERN,
      description: "How long one request may take, up to 1h; 30s by default.",
    },
    profile: contract.profile,
  },
  additionalProperties: false,
};

/** The value that selects the embedded sandbox instead of a service's addresses. */
export const EMBEDDED = "embedded";

const environment = {
  description: "The addresses and identities of a service; or `embedded`, the sandbox in tokenbook, which needs none.",
  anyOf: [{ const: EMBEDDED }, environmentOfService],
};

/** The events of scheduled runs that can send notifications. `recovery`: the first pass after a failure. `unknown`: includes a conflict. */
export const EVENTS = ["drift", "recovery", "failure", "missed", "pending", "unknown"] as const;

const webAddress = {
  type: "string",
  pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|https://[^\\s/?#]+.*)$",
  examples: ["https://desk.example.com/hook"],
};

const notification = {
  type: "object",
  description: "Where the outcomes of scheduled runs are sent: a web address, or a command of this machine.",
  properties: {
    url: {
      ...webAddress,
      description: "A web address, which gets a POST of JSON: env:NAME, file:PATH, or https://…",
    },
    secret: {
      ...reference,
      description: "The key by which deliveries to a url are signed (HMAC-SHA256): env:NAME or file:PATH.",
    },
    command: { ...words, description: "A program and its arguments. It gets the JSON on stdin, and runs without a shell." },
    events: { type: "array", items: { enum: EVENTS }, minItems: 1, description: "Which events are sent; all by default." },
    timeout: {
      type: "string",
      pattern: DURATION_PATTERN,
      description: "How long one delivery may take, up to 1h; 10s by default.",
    },
  },
  additionalProperties: false,
};

/** Returns the JSON Schema of `tokenbook.yaml`. */
export const environmentSchema: object = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://tokenbook.dev/schemas/environment.schema.json",
  title: "tokenbook.yaml",
  type: "object",
  properties: {
    environments: {
      type: "object",
      description: "Where playbooks run, by name; the first is the default.",
      additionalProperties: environment,
      minProperties: 1,
    },
    notifications: {
      type: "object",
      description: "Who is notified of scheduled runs, by name.",
      additionalProperties: notification,
    },
    state: {
      type: "object",
      description:
        "Where runs, drifts and schedules are remembered: a PostgreSQL database, for many machines. Without it: the folder .tokenbook.",
      properties: {
        postgres: {
          ...reference,
          description: "Where the address is: env:NAME or file:PATH. It is written postgres://USER:PASSWORD@HOST:5432/DATABASE.",
          examples: ["env:TOKENBOOK_DATABASE"],
        },
        schema: {
          type: "string",
          pattern: "^[a-z_][a-z0-9_]{0,62}$",
          description: "The schema that holds the tables; tokenbook by default. Nothing else may be in it.",
        },
        accept: {
          type: "array",
          items: { enum: RISKS },
          description:
            "Settings of the server with which a crash or a failover may lose a record, and the write after it. With such a setting, tokenbook refuses a run that writes, unless the setting is named here.",
        },
      },
      required: ["postgres"],
      additionalProperties: false,
    },
    heartbeat: {
      ...webAddress,
      description:
        "A monitoring service that raises an alarm when no ping comes: env:NAME, file:PATH, or https://… tokenbook adds /start to the address when a scheduled run starts, / and its exit code when it ends, and /fail when no run was made.",
    },
  },
  required: ["environments"],
  additionalProperties: false,
};
