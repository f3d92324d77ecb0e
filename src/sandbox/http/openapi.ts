import { contract, type ContractOperation, type Parameter } from "../../contract/contract.ts";
import type { Profile } from "../../contract/profile.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { VERSION } from "../../base/version.ts";
import { type Face, successStatusOf } from "./face.ts";
import { exampleOnTheWire, schemaOnTheWire } from "./fields.ts";
import { REFUSAL_STATUS, statusOf, type Condition } from "../refusal.ts";

const CONTRACT_REF = "contract#/$defs/";
const DOCUMENT_REF = "#/components/schemas/";
const JSON_TYPE = "application/json";

/** The sandbox that a document describes. */
interface DescribedSandbox {
  readonly face: Face;
  /** The names of parameters and fields, and the status codes. */
  readonly profile: Profile;
  /** The beginning of the interface's URLs: its address with the app or the version. */
  readonly url: string;
}

/** Returns the OpenAPI 3.1 document of an interface as this sandbox serves it, with the parameter names of its profile. */
export function openApiDocument(name: string, { face, profile, url }: DescribedSandbox): object {
  const operations = Object.values(contract.operations).filter((operation) => operation.interface === name);
  const paths = Object.groupBy(operations, ({ path }) => path);
  const groups = [...new Set(operations.map(({ group }) => group))];
  const described = Object.entries(paths).map(([path, items = []]) => [
    path,
    Object.fromEntries(items.map((operation) => [operation.method.toLowerCase(), describe(operation, face, profile)])),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: face.title,
      version: VERSION,
      description: "As the sandbox serves it.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url, description: "This sandbox." }],
    security: [{ apiKey: [] }],
    tags: groups.map((group) => ({ name: group, description: `Calls of the group ${group}.` })),
    paths: localRefs(Object.fromEntries(described)),
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: face.keyHeader, description: "Sent on every call." } },
      schemas: localRefs(schemasOf(operations, profile)),
    },
  };
}

function describe(operation: ContractOperation, face: Face, profile: Profile): object {
  const { name, summary, description, group, section, conditions, body, exampleBody } = operation;
  const example =
    exampleBody === undefined || body === undefined ? {} : { example: exampleOnTheWire(body, exampleBody, profile.ledger) };
  const requestBody = { required: true, content: { [JSON_TYPE]: { schema: body, ...example } } };
  return {
    operationId: name,
    summary,
    ...(description === "" ? {} : { description }),
    tags: [group],
    "x-section": section,
    "x-conditions": conditions,
    parameters: operation.parameters.map((parameter) => describeParameter(operation, parameter, profile)),
    ...(body === undefined ? {} : { requestBody }),
    responses: { ...success(operation, profile), ...failures(operation, face, profile) },
  };
}

function describeParameter({ interface: face }: ContractOperation, parameter: Parameter, profile: Profile): object {
  const { name, in: place, required, description, schema, profile: key } = parameter;
  const named: Readonly<Record<string, string>> = { ...profile[face].parameters };
  const where = key === "onBehalfOf" ? profile.ledger.onBehalfOf : { in: place, name: named[key ?? ""] ?? name };
  return { name: where.name, in: where.in, required, description, schema };
}

function success(operation: ContractOperation, { successStatus }: Profile): object {
  const { name, response, parameters } = operation;
  if (response === undefined) return { [successStatus[name] ?? 204]: { description: "Success, without content." } };
  const content = { [JSON_TYPE]: { schema: response } };
  const early = parameters.some((parameter) => parameter.name === "async")
    ? {
        [successStatusOf(operation, successStatus, { early: true })]: {
          description: "Accepted; its receipt shows the outcome.",
          content,
        },
      }
    : {};
  return { ...early, [successStatusOf(operation, successStatus)]: { description: "Success.", content } };
}

// Each status is listed with its conditions, as far as the description lists them for the call.
function failures({ conditions }: ContractOperation, { stranger }: Face, { conditionStatus }: Profile): object {
  const known = [...conditions, stranger].filter(isCondition);
  const byStatus = Map.groupBy(new Set(known), (condition) => String(statusOf(condition, conditionStatus)));
  const content = { [JSON_TYPE]: { schema: { $ref: `${CONTRACT_REF}Error` } } };
  const listed = [...byStatus].map(([status, words]) => [status, { description: `${words.join("; ")}.`, content }]);
  return { ...Object.fromEntries(listed), default: { description: "Any other failure.", content } };
}

function isCondition(words: string): words is Condition {
  return Object.hasOwn(REFUSAL_STATUS, words);
}

// Returns the named schemas that the operations use, in the order of the contract.
function schemasOf(operations: readonly ContractOperation[], profile: Profile): Readonly<Record<string, JsonSchema>> {
  const reached = new Set(["Error"]);
  const reach = (part: unknown): void => {
    for (const name of namesIn(part)) {
      if (reached.has(name)) continue;
      reached.add(name);
      reach(contract.$defs[name]);
    }
  };
  reach(operations);
  reach(contract.$defs["Error"]);
  const schemas = Object.entries(contract.$defs).filter(([name]) => reached.has(name));
  return Object.fromEntries(schemas.map(([name, schema]) => [name, schemaOnTheWire(schema, profile.ledger)]));
}

function namesIn(part: unknown): readonly string[] {
  return [...JSON.stringify(part).matchAll(/"contract#\/\$defs\/(\w+)"/g)].flatMap(([, name]) => name ?? []);
}

function localRefs(part: object): object {
  return JSON.parse(JSON.stringify(part).replaceAll(`"$ref":"${CONTRACT_REF}`, `"$ref":"${DOCUMENT_REF}`)) as object;
}
