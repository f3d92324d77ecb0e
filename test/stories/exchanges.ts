// Checks the exchanges with the service against the written contract, the request as strictly as the answer.
import { contract, type ContractOperation, type Parameter, resolve } from "../../src/contract/contract.ts";
import type { Profile } from "../../src/contract/profile.ts";
import type { JsonSchema } from "../../src/contract/schema-types.ts";
import { validatorOf } from "../../src/contract/validators.ts";
import type { Exchange } from "./proxy.ts";

const ROOTS = { ledger: /^\/tokenize\/app1(?=\/)/, investor: /^\/api\/v\/1(?=\/)/ } as const;
const NO_CONTENT = 204;

/** What is wrong with each side of an exchange. Empty if the contract allows the exchange. */
export interface Verdict {
  readonly request: readonly string[];
  readonly answer: readonly string[];
}

/** Returns the operation that a request calls. */
export function operationOf({ method, target }: Exchange): ContractOperation | undefined {
  const { pathname } = urlOf(target);
  return Object.values(contract.operations).find(
    (operation) => operation.method === method && pathValues(operation, pathname) !== undefined,
  );
}

/** Checks an exchange against the contract of its operation, under the names of the profile. */
export function judge(exchange: Exchange, operation: ContractOperation, profile: Profile): Verdict {
  return {
    request: [
      ...parameterProblems(exchange, operation, profile),
      ...callerProblems(exchange, operation, profile),
      ...bodyProblems(exchange, operation),
    ],
    answer: answerProblems(exchange, operation),
  };
}

function urlOf(target: string): URL {
  return new URL(target, "http://service.invalid");
}

function pathValues({ interface: face, path }: ContractOperation, pathname: string): Record<string, string> | undefined {
  if (!ROOTS[face].test(pathname)) return undefined;
  const pattern = path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const match = new RegExp(`^${pattern}$`).exec(pathname.replace(ROOTS[face], ""));
  if (match === null) return undefined;
  return Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]));
}

function parameterProblems({ target }: Exchange, operation: ContractOperation, profile: Profile): readonly string[] {
  const { pathname, searchParams } = urlOf(target);
  const path = pathValues(operation, pathname) ?? {};
  const own = operation.parameters.filter((parameter) => parameter.profile !== "onBehalfOf");
  const names = own.filter((parameter) => parameter.in === "query").map((parameter) => wireName(operation, parameter, profile));
  const { onBehalfOf } = profile.ledger;
  const common = operation.interface === "ledger" && onBehalfOf.in === "query" ? [onBehalfOf.name] : [];
  const unknown = [...searchParams.keys()].filter((name) => ![...names, ...common].includes(name));
  const wrong = own.flatMap((parameter) => {
    const name = wireName(operation, parameter, profile);
    const [text, again] = parameter.in === "path" ? [path[name]] : searchParams.getAll(name);
    if (text === undefined) return parameter.required ? [`the parameter ${name} is missing`] : [];
    if (again !== undefined) return [`the parameter ${name} is there twice`];
    return problems(parameter.schema, converted(parameter.schema, text)).map((problem) => `${name} ${problem}`);
  });
  return [...unknown.map((name) => `there is no parameter ${name}`), ...wrong];
}

function wireName({ interface: face }: ContractOperation, { name, profile: key }: Parameter, profile: Profile): string {
  const names: Readonly<Record<string, string>> = { ...profile[face].parameters };
  return key === undefined ? name : (names[key] ?? name);
}

function converted({ type }: JsonSchema, text: string): unknown {
  if (type === "boolean") return text === "true" || (text === "false" ? false : text);
  return (type === "number" || type === "integer") && text !== "" ? Number(text) : text;
}

function callerProblems({ target, headers }: Exchange, { interface: face }: ContractOperation, profile: Profile): string[] {
  const keyless = (headers["x-api-key"] ?? "") === "" ? ["the key is missing"] : [];
  if (face === "investor") return keyless;
  const { in: place, name } = profile.ledger.onBehalfOf;
  const actor = place === "header" ? headers[name.toLowerCase()] : (urlOf(target).searchParams.get(name) ?? undefined);
  const nobody = actor !== undefined && !/^[^:]+:.+$/.test(String(actor));
  return [...keyless, ...(nobody ? [`${name} reads ${String(actor)}`] : [])];
}

function bodyProblems({ body }: Exchange, operation: ContractOperation): readonly string[] {
  if (operation.body === undefined) return body === "" ? [] : ["a body where none belongs"];
  return problems(operation.body, parsed(body)).map((problem) => `the body ${problem}`);
}

function answerProblems({ answer }: Exchange, { response, successStatus }: ContractOperation): readonly string[] {
  const { status, body } = answer;
  if (status >= 400) return problems({ $ref: "contract#/$defs/Error" }, parsed(body));
  if (response === undefined)
    return status === NO_CONTENT && body === "" ? [] : [`HTTP ${status} with content, or the wrong status`];
  const wrongStatus = status === successStatus ? [] : [`HTTP ${status} in place of ${successStatus}`];
  return [...wrongStatus, ...problems(response, parsed(body))];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problems(schema: JsonSchema, value: unknown): readonly string[] {
  if (value === undefined) return ["is no JSON"];
  return validatorOf(schema)(value).map(({ path, message }) => `${["", ...path].join("/")} ${message}`);
}

/** Returns the path of each field that the contract describes in an operation's answer. */
export function describedFields({ response }: ContractOperation): readonly string[] {
  return response === undefined ? [] : fieldsOf(response, "");
}

/** Returns the described fields that an answer has. */
export function fieldsIn({ answer }: Exchange, { response }: ContractOperation): readonly string[] {
  return response === undefined || answer.status >= 400 ? [] : fieldsOf(response, "", [parsed(answer.body)]);
}

// Without values, returns all fields. With values, returns the fields that at least one of the values has.
function fieldsOf(schema: JsonSchema, path: string, values?: readonly unknown[]): readonly string[] {
  const { items, properties = {} } = resolve(schema);
  if (items !== undefined) return fieldsOf(items, `${path}[]`, values?.filter(Array.isArray).flat());
  return Object.entries(properties).flatMap(([name, property]) => {
    const within = values?.flatMap((value) => (isObject(value) && value[name] !== undefined ? [value[name]] : []));
    const field = `${path}.${name}`;
    return within?.length === 0 ? [] : [field, ...fieldsOf(property, field, within)];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object";
}
