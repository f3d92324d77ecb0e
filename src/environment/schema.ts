import { DURATION_PATTERN } from "../base/duration.ts";
import { ENTITY_PATTERN } from "../base/entity.ts";

const words = { type: "array", items: { type: "string" }, minItems: 1 };
const name = { type: "string", minLength: 1 };

const reference = {
  type: "string",
  pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$",
  description: "Where the key is: env:NAME or file:PATH. A key itself never stands here.",
};

const baseUrl = {
  type: "string",
  pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*)?$",
  description: "Scheme, host and port of the service, without user and password.",
};

function names(description: string, ...keys: readonly string[]): object {
  return {
    type: "object",
    description,
    properties: Object.fromEntries(keys.map((key) => [key, name])),
    additionalProperties: false,
  };
}

const ERRORS = {
  type: "array",
  items: {
    type: "object",
    additionalProperties: { anyOf: [{ type: "string", minLength: 1 }, { type: "integer" }, { const: true }] },
    minProperties: 1,
  },
  description:
    "The forms of the service's own errors. Each names fields with their values; `true` takes any value. A write counts as refused only in one of them.",
};

const PARAMETERS = "Names on the wire of the parameters whose names the description does not show.";

function flags(...keys: readonly string[]): object {
  return Object.fromEntries(keys.map((key) => [key, { type: "boolean" }]));
}

const profile = {
  type: "object",
  description: "What the service description leaves open, where this service differs from the defaults.",
  properties: {
    ledger: {
      type: "object",
      properties: {
        onBehalfOf: {
          type: "object",
          description: "Where the acting entity travels.",
          properties: { in: { enum: ["query", "header"] }, name },
          additionalProperties: false,
        },
        parameters: names(PARAMETERS, "pageSize", "bookmark", "pendingOnly"),
        pageSize: { type: "integer", minimum: 1, description: "Records on a page when a call names no size." },
        receipt: {
          type: "object",
          description:
            "How a receipt says what became of a write; a status that is neither of these words means that it is not decided yet.",
          properties: {
            committed: words,
            failed: words,
            pending: name,
            namesTransaction: {
              type: "boolean",
              description:
                "A receipt that says that a write is committed names its transaction: one that names none is not believed. `false` only for a service whose receipts never do.",
            },
          },
          additionalProperties: false,
        },
        requestStatus: names(
          "Words for the state of transfer requests, approvals and approvers.",
          "pending",
          "approved",
          "rejected",
          "cancelled",
        ),
        errors: ERRORS,
        newOwner: {
          type: "string",
          pattern: "^(additionalOwners|data(\\.[A-Za-z]\\w*)+)$",
          description: "Where a transfer request names the new owner.",
        },
        fields: {
          type: "object",
          description: "Names of the fields of bodies whose field names the description does not show.",
          properties: {
            vaultUpdate: names("Of PATCH /token/vault.", "id", "name", "description", "data"),
            vaultAssets: names("Of PATCH /token/vault/assets.", "vaultId", "assets", "assetType", "id", "data"),
          },
          additionalProperties: false,
        },
        primaryKey: { type: "object", description: "The id attribute of each asset type.", additionalProperties: name },
        capabilities: {
          type: "object",
          description: "What the service can be relied on for when the answer to a write was lost.",
          properties: flags("tokenIdUnique", "vaultIdUnique", "sameVaultDepositRefused", "overMintRefused"),
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    investor: {
      type: "object",
      properties: {
        errors: ERRORS,
        parameters: names(
          PARAMETERS,
          "page",
          "limit",
          "term",
          "investment",
          "status",
          "sort",
          "quantity",
          "purchaseDate",
          "timezone",
        ),
        pageSize: { type: "integer", minimum: 1, description: "Items on a page when a call names no limit." },
      },
      additionalProperties: false,
    },
    conditionStatus: {
      type: "object",
      description: "The status code of a refusal, by its condition, where it is not the usual one.",
      additionalProperties: { type: "integer", minimum: 400, maximum: 599 },
    },
    successStatus: {
      type: "object",
      description:
        "The status code of success by operation, where it is not the contract's; `async` is for writes answered at once.",
      additionalProperties: { type: "integer", minimum: 200, maximum: 299 },
    },
    refusals: {
      type: "array",
      items: { type: "integer", minimum: 400, maximum: 499 },
      description:
        "Status codes that mean: refused, no effect. They count only in an error of the service's own form (`errors`).",
    },
  },
  additionalProperties: false,
};

const service = {
  type: "object",
  properties: {
    ledger: {
      type: "object",
      description: "Interface B.",
      properties: {
        baseUrl,
        appId: { ...name, description: "The app, as it stands in the service's paths." },
        orgId: { ...name, description: "The organization of the entities that act." },
        apiKey: reference,
        keyEntity: {
          type: "string",
          pattern: ENTITY_PATTERN,
          description:
            "The entity that the key itself stands for, such as userId:alice: who acts where a playbook says as: { ledger: key }.",
        },
      },
      required: ["baseUrl", "appId", "orgId", "apiKey"],
      additionalProperties: false,
    },
    investor: {
      type: "object",
      description: "Interface A.",
      properties: { baseUrl, credentials: { type: "object", additionalProperties: reference, minProperties: 1 } },
      required: ["baseUrl", "credentials"],
      additionalProperties: false,
    },
    exclusive: { type: "boolean", description: "Nobody else acts as these entities while we run." },
    settleWithin: {
      type: "string",
      pattern: DURATION_PATTERN,
      description:
        "After this time a write that has not taken effect never will. Counts only together with readLag, since a read may not show yet what has.",
    },
    readLag: {
      type: "string",
      pattern: DURATION_PATTERN,
      description:
        "A read shows everything that took effect this long before it was asked for. `0s`: reads are strongly consistent. Left out, any read may be old: that something is missing then proves nothing.",
    },
    pacing: {
      type: "object",
      description: "How many reads each interface may be asked for: in a second, and at once. Writes never wait for it.",
      properties: { perSecond: { type: "integer", minimum: 1 }, atOnce: { type: "integer", minimum: 1 } },
      additionalProperties: false,
      minProperties: 1,
    },
    timeout: {
      type: "string",
      pattern: DURATION_PATTERN,
      description: "How long one request may take, up to 1h; 30s when left out.",
    },
    profile,
  },
  additionalProperties: false,
};

/** What stands for the sandbox inside of tokenbook instead of a service's addresses. */
export const EMBEDDED = "embedded";

const environment = {
  description: "The addresses and identities of a service; or `embedded`, the sandbox inside of tokenbook, which needs none.",
  anyOf: [{ const: EMBEDDED }, service],
};

/** What somebody may be told of scheduled runs. `recovery`: the first pass after something else. `unknown`: a conflict too. */
export const EVENTS = ["drift", "recovery", "failure", "missed", "pending", "unknown"] as const;

const notification = {
  type: "object",
  description: "Where it is told what became of scheduled runs: a web address, or a command of this machine.",
  properties: {
    url: {
      type: "string",
      pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|https://[^\\s/?#]+.*)$",
      description: "A web address, which gets a POST of JSON: env:NAME, file:PATH, or https://…",
    },
    secret: { ...reference, description: "What deliveries to a url are signed with (HMAC-SHA256): env:NAME or file:PATH." },
    command: { ...words, description: "A program and its arguments, which gets the JSON on its stdin. No shell reads it." },
    events: { type: "array", items: { enum: EVENTS }, minItems: 1, description: "What is told; everything, when left out." },
    timeout: {
      type: "string",
      pattern: DURATION_PATTERN,
      description: "How long one delivery may take, up to 1h; 10s, when left out.",
    },
  },
  additionalProperties: false,
};

/** The JSON Schema of `tokenbook.yaml`. */
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
      description: "Who is told of scheduled runs, by name.",
      additionalProperties: notification,
    },
  },
  required: ["environments"],
  additionalProperties: false,
};
