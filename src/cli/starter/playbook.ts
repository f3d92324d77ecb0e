import type { YAMLMap } from "yaml";
import { invariant } from "../../base/failure.ts";
import { wrap } from "../../base/text/text.ts";
import { resolve, schemaName } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { exampleInput } from "../../operations/example.ts";
import type { Operation } from "../../operations/operation.ts";
import { fieldSchema, itemSchema } from "../../playbook/expressions/compile-template.ts";
import { playbookOrder } from "../../playbook/keywords/key-order.ts";
import { withSchema } from "../../playbook/steps/call-input.ts";
import { hasEntities, type Service, services } from "../../services/services.ts";
import { formatYaml } from "../../source/format.ts";
import { asNode, listOf, mapOf, onOneLine, writeDocument, type WrittenField } from "../../source/write-yaml.ts";

const COMMENT_COLUMNS = 120;

/**
 * Returns a playbook that calls these operations in order, each with its example input. Later steps use what earlier steps create, and the entities in the
 * examples become its actors.
 */
export function starterPlaybook(name: string, operations: readonly Operation[]): string {
  const called = services.filter(({ name: each }) => operations.some(({ service }) => service.name === each));
  const keyed = called.filter((service) => !hasEntities(service));
  const usual = keyed.length < called.length ? ISSUER : (keyed[0]?.exampleActor ?? ISSUER);
  const known: CreatedSoFar = { made: new Map(), approvers: new Map(), people: new Set(usual === ISSUER ? [ISSUER] : []) };
  const ids = stepIds(operations);
  const steps = operations.map((operation, at) => {
    const id = ids[at] ?? "";
    const { service } = operation;
    const holder = hasEntities(service) || service.exampleActor === usual ? undefined : service.exampleActor;
    const step = stepOf(operation, id, holder ?? voterOf(operation, known), known);
    if (operation.writes && operation.yields["id"] !== undefined) known.made.set(kindOf(operation), `steps.${id}.id`);
    const approver = approverIn(exampleInput(operation)["approvers"]);
    if (approver !== undefined) known.approvers.set(kindOf(operation), approver);
    return step;
  });
  const isReadOnly = !operations.some(({ writes }) => writes);
  const text = writeDocument([
    { key: "playbook", value: asNode(1) },
    { key: "name", value: asNode(name) },
    ...(isReadOnly ? [{ key: "mode", value: onOneLine("read-only", " proved before the first request") }] : []),
    { key: "actors", value: mapOf(actorsOf(known.people, keyed)), above: " who acts", apart: true },
    { key: "defaults", value: onOneLine({ as: usual }) },
    { key: "steps", value: listOf(steps), apart: true },
  ]);
  const formatted = formatYaml(name, text, playbookOrder);
  invariant("text" in formatted, `the playbook of ${operations.map((each) => each.name).join(", ")} cannot be formatted`);
  return formatted.text;
}

const ISSUER = "alice";
/** The interface that knows the people in the examples. */
const ENTITIES = services.find(hasEntities)?.name ?? "";

/** What the steps so far have created. */
interface CreatedSoFar {
  /** For each kind of thing, the expression for the id of the last one that was created. */
  readonly made: Map<string, string>;
  /** For each kind of request, a person who may vote on it. */
  readonly approvers: Map<string, string>;
  /** The user ids of entities. */
  readonly people: Set<string>;
}

// A vote is cast by somebody whom the request of an earlier step names as an approver.
function voterOf(operation: Operation, { approvers }: CreatedSoFar): string | undefined {
  return /\.(?:approve|accept|reject)$/.test(operation.name) ? approvers.get(kindOf(operation)) : undefined;
}

function approverIn(approvers: unknown): string | undefined {
  const [first] = Array.isArray(approvers) ? (approvers as readonly unknown[]) : [];
  return first !== null && typeof first === "object" ? personOf(first) : undefined;
}

function actorsOf(people: ReadonlySet<string>, keyed: readonly Service[]): readonly WrittenField[] {
  const entities = [...people].map((person) => ({ key: person, value: onOneLine({ [ENTITIES]: `userId:${person}` }) }));
  const holders = keyed.map(({ name, exampleActor: key }) => ({
    key,
    value: onOneLine({ [name]: `${key.toUpperCase()}_KEY` }, " the name of a credential in tokenbook.yaml"),
  }));
  return [...entities, ...holders];
}

function stepOf(operation: Operation, id: string, as: string | undefined, known: CreatedSoFar): YAMLMap {
  const input = inputOf(operation, known);
  return mapOf([
    { key: "id", value: asNode(id) },
    { key: "name", value: asNode(operation.call.summary) },
    ...(as === undefined ? [] : [{ key: "as", value: asNode(as) }]),
    { key: "uses", value: asNode(operation.name) },
    ...(input.length === 0 ? [] : [{ key: "with", value: mapOf(input) }]),
  ]);
}

function inputOf(operation: Operation, known: CreatedSoFar): readonly WrittenField[] {
  const { properties = {}, required = [] } = withSchema(operation, false);
  const chosen = operation.yields["id"] !== undefined && !required.includes("id") ? "id" : undefined;
  const fields = Object.entries(exampleInput(operation)).filter(([field]) => field !== chosen);
  return fields.map(([key, value]) => {
    const schema = properties[key] ?? {};
    const given = onOneLine(linked(value, schema, known, operation.yields["tokenIds"] !== undefined));
    return { key, value: given, above: comment(schema, required.includes(key)) };
  });
}

function comment(schema: JsonSchema, required: boolean): string {
  const description = schema.description ?? resolve(schema).description ?? "";
  const lines = wrap(`${required ? "required" : "optional"}: ${description}`, COMMENT_COLUMNS - 1);
  return lines.map((line) => ` ${line}`.trimEnd()).join("\n");
}

/**
 * Returns the example with expressions in place of entities and of ids that an earlier step creates. If the run chooses the ids of tokens (`chosen`), they are
 * left out.
 */
function linked(value: unknown, schema: JsonSchema, known: CreatedSoFar, chosen: boolean): unknown {
  const source = known.made.get(schema["x-id"] ?? resolve(schema)["x-id"] ?? "");
  if (typeof value === "string") return source === undefined || chosen ? value : `\${{ ${source} }}`;
  if (Array.isArray(value)) return value.map((item) => linked(item, itemSchema(schema) ?? {}, known, chosen));
  if (value === null || typeof value !== "object") return value;
  const person = schemaName(schema) === "Entity" ? personOf(value) : undefined;
  if (person !== undefined) {
    known.people.add(person);
    return `\${{ actors.${person} }}`;
  }
  const fields = Object.entries(value).map(([key, inner]) => [key, inner, fieldSchema(schema, key) ?? {}] as const);
  const given = fields.filter(([, , field]) => !(chosen && field["x-id"] === "token"));
  return Object.fromEntries(given.map(([key, inner, field]) => [key, linked(inner, field, known, chosen)]));
}

function personOf(entity: object): string | undefined {
  const { userId } = entity as { readonly userId?: unknown };
  return typeof userId === "string" && /^[a-z][a-zA-Z0-9]*$/.test(userId) ? userId : undefined;
}

// `ledger.token.create` makes a token.
function kindOf({ name }: Operation): string {
  return name.split(".")[1] ?? "";
}

function stepIds(operations: readonly Operation[]): readonly string[] {
  const used = new Map<string, number>();
  return operations.map(({ name }) => {
    const id = name
      .split(".")
      .slice(1)
      .join("_")
      .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const times = (used.get(id) ?? 0) + 1;
    used.set(id, times);
    return times === 1 ? id : `${id}_${times}`;
  });
}
