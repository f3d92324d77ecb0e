import { Failure } from "../../base/failure.ts";
import { demandAt } from "../../schema/demand.ts";
import { SchemaSet } from "../../schema/validator.ts";

const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const COUNT = { type: "integer", minimum: 0 };

const SOURCE = object({ path: TEXT, sourceReference: WHOLE });

/** The JSON Schema of the arguments of each request that has some. An editor may add fields of its own. */
export const REQUEST_ARGUMENTS: Readonly<Record<string, object>> = {
  initialize: object({ linesStartAt1: { type: "boolean" } }),
  setBreakpoints: object({ source: SOURCE, breakpoints: { type: "array", items: object({ line: WHOLE }, "line") } }, "source"),
  setExceptionBreakpoints: object({ filters: { type: "array", items: TEXT } }, "filters"),
  stackTrace: object({ startFrame: COUNT, levels: COUNT }),
  scopes: object({ frameId: WHOLE }, "frameId"),
  variables: object({ variablesReference: WHOLE, start: COUNT }, "variablesReference"),
  source: object({ sourceReference: WHOLE, source: SOURCE }),
};

function object(properties: Readonly<Record<string, object>>, ...required: readonly string[]): object {
  return { type: "object", properties, required };
}

const schemas = new SchemaSet();

/** Throws a Failure if the arguments of a request do not have their types. */
export function assertArguments(command: string, given: unknown): void {
  const schema = Object.hasOwn(REQUEST_ARGUMENTS, command) ? REQUEST_ARGUMENTS[command] : undefined;
  const [problem] = schema === undefined ? [] : schemas.plainValidator(schema)(given);
  if (problem === undefined) return;
  throw new Failure({
    code: "debug.arguments",
    message: `${command}: ${demandAt("arguments", problem)}`,
    why: "nothing was done",
  });
}
