import { Decimal } from "../../base/numbers/decimal.ts";
import { parseJson, type Json } from "../../base/json/json.ts";
import { messageOf } from "../../base/failure.ts";
import type { ContractOperation, Parameter } from "../../contract/contract.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { validatorOf } from "../../contract/validators.ts";
import type { SchemaViolation } from "../../schema/validator.ts";
import type { Dialect } from "../dialect.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import type { Params, ParameterValue } from "../params.ts";
import { demand, ServiceRefusal } from "../refusal.ts";
import { invalidity } from "./conditions.ts";
import { readFields } from "./fields.ts";

/** The parameters of a request, and their names on the wire. */
interface ParameterSource {
  /** The parameters of the path, by their names on the wire. */
  readonly path: Readonly<Record<string, unknown>>;
  /** The parameters of the query, by their names on the wire. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The profile's names for parameters on the wire. */
  readonly names: Readonly<Record<string, string>>;
  /** Query parameters that belong to no operation, such as the acting entity. */
  readonly common: readonly string[];
  /** What is done with query parameters that the operation does not have. */
  readonly unknownParameters: Dialect["unknownParameters"];
}

/** Returns the parameters of a call by their names in the contract, with the right types. Unknown names are refused, unless the dialect ignores them. */
export function readParameters(operation: ContractOperation, source: ParameterSource): Params {
  const ownParameters = operation.parameters.filter(({ profile }) => profile !== "onBehalfOf");
  const wireNames = ownParameters.map((parameter) => wireName(parameter, source));
  for (const name of Object.keys(source.query)) {
    const known = wireNames.includes(name) || source.common.includes(name);
    demand(
      known || source.unknownParameters === "ignored",
      invalidity(operation),
      `${operation.name} has no query parameter ${name}`,
    );
  }
  const values = ownParameters.flatMap((parameter) => {
    const value = readParameter(operation, parameter, source);
    return value === undefined ? [] : [[parameter.name, value] as const];
  });
  return Object.fromEntries(values);
}

/** Returns the body of a call with exact numbers, after checking it against the contract's schema. */
export function readBody(operation: ContractOperation, text: unknown, profile?: LedgerProfile): unknown {
  if (operation.body === undefined) return undefined;
  demand(typeof text === "string" && text !== "", invalidity(operation), "the call needs a JSON body");
  const given = parseBody(text);
  const body = profile === undefined ? given : readFields(operation.body, given, { profile, condition: invalidity(operation) });
  demandValid(operation, { name: "body", schema: operation.body, value: body });
  return body;
}

function readParameter(operation: ContractOperation, parameter: Parameter, source: ParameterSource): ParameterValue | undefined {
  const name = wireName(parameter, source);
  const condition = invalidity(operation);
  const given = parameter.in === "path" ? source.path[name] : source.query[name];
  const missing = given === undefined || given === "";
  demand(!missing || !parameter.required, condition, `the parameter ${name} is missing`);
  if (given === undefined) return undefined;
  demand(typeof given === "string", condition, `the parameter ${name} is given more than once`);
  const value = convert(parameter.schema, given);
  demand(value !== undefined, condition, `the parameter ${name} cannot be ${JSON.stringify(given)}`);
  demandValid(operation, { name, schema: parameter.schema, value });
  return value;
}

function wireName({ profile, name }: Parameter, { names }: ParameterSource): string {
  return profile === undefined ? name : (names[profile] ?? name);
}

function convert({ type }: JsonSchema, text: string): ParameterValue | undefined {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  return type === "number" ? Decimal.parse(text) : text;
}

/** Parses the JSON of a body with exact numbers. */
export function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ServiceRefusal("invalid parameters", `the body is no JSON: ${messageOf(error)}`);
  }
}

interface ReceivedParameter {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
}

function demandValid(operation: ContractOperation, { name, schema, value }: ReceivedParameter): void {
  const problems = validatorOf(schema)(value);
  if (problems.length === 0) return;
  const shown = problems.slice(0, SANDBOX_LIMITS.problemsShown).map((problem) => describe(problem, name));
  throw new ServiceRefusal(invalidity(operation, problems), shown.join("; "));
}

function describe({ path, message, keyword, params }: SchemaViolation, name: string): string {
  const extra = keyword === "additionalProperties" ? ` (${String(params["additionalProperty"])})` : "";
  return `${[name, ...path].join(".")} ${message}${extra}`;
}
