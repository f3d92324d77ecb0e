// Generates everything that is derived from the OpenAPI documents, the operations and the catalogue of diagnostics. `--check` writes nothing, and fails if a
// committed file differs.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { parse } from "yaml";
import type { Contract, ContractInterface, ContractOperation, Parameter, ContractPaging } from "../src/contract/contract.ts";
import type { JsonSchema } from "../src/contract/schema-types.ts";
import { interfaceTypes } from "./interface-types.ts";

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly "x-interface": { readonly order: number; readonly title: string; readonly profile: JsonSchema };
  readonly paths: Record<string, Record<string, RawOperation>>;
  readonly components: {
    readonly schemas: Record<string, JsonSchema>;
    readonly parameters?: Record<string, RawParameter>;
    readonly responses?: Record<string, RawContent>;
    readonly securitySchemes: { readonly apiKey: { readonly name: string } };
  };
}
interface RawParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly "x-profile"?: string;
}
interface RawContent {
  readonly $ref?: string;
  readonly content?: Record<string, { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }>;
}
interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly RawParameter[];
  readonly requestBody?: RawContent;
  readonly responses: Record<string, RawContent>;
  readonly "x-section": string;
  readonly "x-rests-on": readonly string[];
  readonly "x-conditions": readonly string[];
  readonly "x-further-conditions"?: readonly string[];
  readonly "x-paging"?: ContractPaging;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const root = new URL("../", import.meta.url);

const ENDING = ".openapi.yaml";

interface Named {
  readonly name: ContractInterface["name"];
  readonly document: Document;
}

// Each interface has a document, so the documents define the interfaces.
function readDocuments(): readonly Named[] {
  const found = globSync(`*${ENDING}`, { cwd: fileURLToPath(new URL("schemas", root)) }).map((file) => ({
    name: file.slice(0, -ENDING.length) as Named["name"],
    document: readYaml(`schemas/${file}`) as Document,
  }));
  return found.toSorted((one, other) => one.document["x-interface"].order - other.document["x-interface"].order);
}

function readYaml(path: string): unknown {
  return parse(readFileSync(new URL(path, root), "utf8"));
}

function interfaceOf({ name, document: { servers, components, "x-interface": about } }: Named): ContractInterface {
  const [server] = servers;
  if (server === undefined) throw new Error(`schemas/${name}${ENDING} names no server`);
  const { name: keyHeader } = components.securitySchemes.apiKey;
  return { name, title: about.title, keyHeader, root: server.url.replace("{baseUrl}", "") };
}

// Returns the settings of each interface, and the settings that all of them share.
function profileOf(named: readonly Named[]): JsonSchema {
  const { properties = {} } = readYaml("schemas/profile.yaml") as JsonSchema;
  const parts = named.map(({ name, document }) => [name, document["x-interface"].profile]);
  return {
    type: "object",
    description: "What the service description leaves open, where this service differs from the defaults.",
    properties: { ...Object.fromEntries(parts), ...properties } as Record<string, JsonSchema>,
    additionalProperties: false,
  };
}

function operationsOf({ name, document }: Named): ContractOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const shared = (item["parameters"] as unknown as RawParameter[] | undefined) ?? [];
    return METHODS.flatMap((method) => {
      const raw = item[method];
      const at = { interface: name, method: method.toUpperCase() as ContractOperation["method"], path };
      return raw === undefined ? [] : [operationOf(document, at, raw, shared)];
    });
  });
}

function operationOf(
  document: Document,
  at: Pick<ContractOperation, "interface" | "method" | "path">,
  raw: RawOperation,
  shared: readonly RawParameter[],
): ContractOperation {
  const [status = "200", ...others] = Object.keys(raw.responses).filter((code) => code.startsWith("2"));
  const success = raw.responses[status];
  const body = raw.requestBody?.content?.["application/json"];
  const answer = success?.$ref === undefined ? success : document.components.responses?.[lastPart(success.$ref)];
  const response = answer?.content?.["application/json"]?.schema;
  const example = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
  return {
    name: raw.operationId,
    ...at,
    group: raw.tags[0] ?? "",
    section: raw["x-section"],
    restsOn: raw["x-rests-on"],
    summary: raw.summary,
    description: raw.description?.trim() ?? "",
    conditions: raw["x-conditions"],
    furtherConditions: raw["x-further-conditions"] ?? [],
    parameters: [...shared, ...(raw.parameters ?? [])].map((parameter) => parameterOf(document, parameter)),
    ...(body === undefined ? {} : { body: body.schema }),
    successStatus: Number(status),
    ...(others.length === 0 ? {} : { otherStatuses: others.map(Number) }),
    ...(response === undefined ? {} : { response }),
    ...(raw["x-paging"] === undefined ? {} : { paging: { items: raw["x-paging"].items } }),
    ...(example === undefined ? {} : { exampleBody: example }),
  };
}

function parameterOf(document: Document, given: RawParameter): Parameter {
  const raw = given.$ref === undefined ? given : document.components.parameters?.[lastPart(given.$ref)];
  if (raw === undefined) throw new Error(`no parameter ${given.$ref}`);
  return {
    name: raw.name,
    in: raw.in as Parameter["in"],
    required: raw.required === true,
    description: raw.description ?? "",
    schema: raw.schema,
    ...(raw["x-profile"] === undefined ? {} : { profile: raw["x-profile"] }),
  };
}

function lastPart(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

function referTo<T>(value: T, target: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", target)) as T;
}

const documents = readDocuments();
const schemas = Object.assign({}, ...documents.map(({ document }) => document.components.schemas)) as Record<string, JsonSchema>;
const operations = documents.flatMap(operationsOf);
const contract: Contract = referTo(
  {
    interfaces: Object.fromEntries(documents.map((named) => [named.name, interfaceOf(named)])) as Contract["interfaces"],
    profile: profileOf(documents),
    operations: Object.fromEntries(operations.map((operation) => [operation.name, operation])),
    $defs: schemas,
  },
  "contract#/$defs/",
);

async function typesOf(): Promise<string> {
  const banner =
    '// Generated by `npm run generate` from schemas/*.openapi.yaml. Do not edit.\nimport type { Decimal } from "../../base/numbers/decimal.ts";\n';
  const types = await compile(
    {
      $id: "Contract",
      type: "object",
      properties: {},
      additionalProperties: false,
      $defs: exactNumbers(referTo(schemas, "#/$defs/")),
    } as never,
    "Contract",
    { unreachableDefinitions: true, bannerComment: "", additionalProperties: false, unknownAny: true, format: false },
  );
  return (
    banner +
    types
      .replace(/export interface Contract \{\s*\}\n/, "")
      .replaceAll(/^ \*\s*\n \* This interface was referenced.*\n.*via the `definition`.*\n/gm, "")
      .replaceAll(/^ \*\s*\n \* This interface was referenced.*\n/gm, "")
      .replaceAll(/^\/\*\*\n \* This interface was referenced.*\n(?: \* via.*\n)? \*\/\n/gm, "")
      .replaceAll(/^\/\*\*\n \* (.*)\n \*\/$/gm, "/** $1 */")
  );
}

// In memory, a number of the contract is a Decimal, not a JavaScript number.
function exactNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exactNumbers);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, exactNumbers(inner)]));
  if (copy["$ref"] !== undefined) return { $ref: copy["$ref"] }; // with further keywords beside it, the type would be written twice
  return copy["type"] === "number" || copy["type"] === "integer" ? { ...copy, tsType: "Decimal" } : copy;
}

async function outputs(): Promise<Record<string, string>> {
  return {
    "src/contract/generated/contract.json": `${JSON.stringify(contract)}\n`,
    "src/contract/generated/types.ts": await typesOf(),
    "src/contract/generated/interfaces.ts": interfaceTypes(contract),
  };
}

async function laterOutputs(): Promise<Record<string, string>> {
  // These modules read contract.json, so they are loaded after it was written.
  const { playbookSchema } = await import("../src/playbook/keywords/editor-schema.ts");
  const { shippedPlaybooks } = await import("../src/cli/project/shipped.ts");
  const { environmentSchema } = await import("../src/environment/schema.ts");
  const { eventSchema } = await import("../src/protocol/event-schema.ts");
  const { errorsPage, examplesOf } = await import("./errors.ts");
  const { operationsDocument } = await import("./reference.ts");
  const { withKeywords } = await import("./keywords.ts");
  const { cliPage, environmentPage, exitCodesPage, limitsPage } = await import("./pages.ts");
  const examples = examplesOf(root);
  return {
    "src/cli/generated/examples.json": `${JSON.stringify(examples, undefined, 1)}\n`,
    "docs/errors.md": errorsPage(examples),
    "schemas/playbook.schema.json": `${JSON.stringify(playbookSchema(shippedPlaybooks()), undefined, 1)}\n`,
    "docs/language.md": withKeywords(readFileSync(new URL("docs/language.md", root), "utf8")),
    "docs/operations.md": operationsDocument(),
    "docs/cli.md": cliPage(),
    "docs/environment.md": environmentPage(),
    "docs/exit-codes.md": exitCodesPage(),
    "docs/limits.md": limitsPage(root),
    "schemas/event.schema.json": `${JSON.stringify(eventSchema, undefined, 2)}\n`,
    "schemas/environment.schema.json": `${JSON.stringify(environmentSchema, undefined, 2)}\n`,
  };
}

function settle(files: Record<string, string>): string[] {
  const checking = process.argv.includes("--check");
  return Object.entries(files).flatMap(([path, text]) => {
    const file = new URL(path, root);
    const same = readOrEmpty(file) === text;
    if (!same && !checking) writeFileSync(file, text);
    return same ? [] : [path];
  });
}

function readOrEmpty(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const changed = [...settle(await outputs()), ...settle(await laterOutputs())];
if (changed.length > 0) console.log(`${process.argv.includes("--check") ? "out of date" : "written"}: ${changed.join(", ")}`);
if (changed.length > 0 && process.argv.includes("--check")) {
  console.log("run `npm run generate` and commit the result");
  process.exitCode = 1;
}
