import { inputParameters } from "../../operations/input.ts";
import type { Operation } from "../../operations/operation.ts";
import { DEFAULT_PROFILE } from "../../contract/profile.ts";
import { child, itemsIn, type SourceNode, textOf } from "../../source/node.ts";
import type { ImportedActors } from "./import-actors.ts";
import type { GivenParameter, WorkflowScope } from "./import-scope.ts";
import { isKeyHeader } from "../../exchanges/archive-secrets.ts";
import { isMap, typed, type ValueMap, written, type WrittenValue } from "../value.ts";
import { pathOf } from "../../schema/pointer.ts";

/** The input of a call, and its actor. */
export interface ImportedCall {
  /** The parameters and the fields of the body, as the playbook writes them; `undefined` if there are none. */
  readonly with: unknown;
  /** The actor, as in the `as` of a step. */
  readonly as: unknown;
}

/** Translates the parameters and the body of a step. */
export function readCall(
  operation: Operation,
  { parameters, body, node }: { parameters: readonly GivenParameter[]; body: SourceNode | undefined; node: SourceNode },
  { scope, actors }: { readonly scope: WorkflowScope; readonly actors: ImportedActors },
): ImportedCall | undefined {
  const keys = parameters.filter((parameter) => parameter.in === "header" && isKeyHeader(parameter.name));
  const others = parameters.filter((parameter) => !keys.includes(parameter));
  const { identity } = operation.service;
  const place = identity.kind === "entity" ? identity.onBehalfOf(DEFAULT_PROFILE) : undefined;
  const acting = others.find((parameter) => parameter.in === place?.in && parameter.name === place.name);
  const as = actors.of(operation, { key: keys.at(-1), acting, node });
  const rest = others.filter((parameter) => parameter !== acting);
  const given = rest.map((parameter) => [parameter.name, parameterValue(operation, parameter, scope)] as const);
  const fields = Object.fromEntries(given.filter((pair): pair is readonly [string, WrittenValue] => pair[1] !== undefined));
  const sent = bodyOf(operation, body, scope);
  if (as === undefined || sent === undefined) return undefined;
  const input = { ...fields, ...sent };
  return { with: Object.keys(input).length === 0 ? undefined : written(input), as };
}

const STANDARD_HEADERS = /^(?:accept|content-type|user-agent)$/i;

function parameterValue(operation: Operation, parameter: GivenParameter, scope: WorkflowScope): WrittenValue | undefined {
  const { name, in: place, node, value } = parameter;
  const { findings } = scope;
  if (place === "header") {
    if (STANDARD_HEADERS.test(name)) return undefined;
    return findings.lose(
      node,
      `the header "${name}" is not sent`,
      "a playbook holds no headers: tokenbook sends those of the service",
    );
  }
  if (place === "cookie" || place === "querystring")
    return findings.refuse(node, `a parameter in ${place} cannot be translated`, "the service has no such parameter");
  const known = inputParameters(operation).find((each) => each.name === name && each.in === place);
  if (known !== undefined) {
    const given = scope.value(value);
    const isText = typeof given === "string" && known.schema.type !== "string";
    return isText ? typed(given) : given;
  }
  const isOwn = operation.call.parameters.some((each) => each.name === name && each.in === place);
  if (isOwn && name === operation.service.paging.parameter)
    return findings.lose(node, `the page "${name}" is not read by itself`, "tokenbook reads the pages of a list in their order");
  if (isOwn) return undefined;
  return findings.refuse(node, `${operation.name} has no parameter "${name}" in ${place}`, "the service would not read it");
}

function bodyOf(operation: Operation, node: SourceNode | undefined, scope: WorkflowScope): ValueMap | undefined {
  const { call, meaning } = operation;
  const { findings } = scope;
  const payload = child(node, "payload");
  if (node === undefined || payload === undefined) return {};
  const type = child(node, "contentType");
  if (type !== undefined && !/\bjson\b/i.test(textOf(type) ?? ""))
    return findings.refuse(type, `a body of ${textOf(type)} cannot be sent`, "the service takes JSON");
  if (call.body === undefined) return findings.refuse(node, `${operation.name} has no body`, "the service would not read it");
  const replaced = replace(scope.body(payload), child(node, "replacements"), scope);
  if (replaced === undefined) return undefined;
  if (!operation.batches) return mapIn(replaced, payload, scope);
  if (meaning.wraps === undefined) return items(replaced, payload, scope);
  const around = mapIn(replaced, payload, scope);
  if (around === undefined) return undefined;
  const { [meaning.wraps]: list, ...shared } = around;
  const inner = items(list ?? [], payload, scope);
  return inner === undefined ? undefined : { ...shared, ...inner };
}

// A list of one item is written as the item.
function items(value: WrittenValue, place: SourceNode, scope: WorkflowScope): ValueMap | undefined {
  if (!Array.isArray(value))
    return scope.findings.refuse(
      place,
      "the body must have a list here",
      "tokenbook checks every field of it, so it must be written out",
    );
  const [only, ...more] = value as readonly WrittenValue[];
  if (only !== undefined && more.length === 0) return mapIn(only, place, scope);
  return { items: value as readonly WrittenValue[] };
}

function mapIn(value: WrittenValue, place: SourceNode, scope: WorkflowScope): ValueMap | undefined {
  if (isMap(value)) return value;
  return scope.findings.refuse(
    place,
    "the body must be a map of fields",
    "tokenbook checks every field of it, so it must be written out",
  );
}

function replace(value: WrittenValue | undefined, list: SourceNode | undefined, scope: WorkflowScope): WrittenValue | undefined {
  let replaced = value;
  for (const item of itemsIn(list)) {
    const target = textOf(child(item, "target")) ?? "";
    const given = child(item, "value");
    const next = given === undefined ? undefined : scope.value(given);
    if (!target.startsWith("/") || child(item, "targetSelectorType") !== undefined)
      return scope.findings.refuse(item, `the target "${target}" cannot be translated`, "only a JSON pointer is");
    if (replaced === undefined || next === undefined) return undefined;
    replaced = withAt(replaced, pathOf(target), next);
    if (replaced === undefined)
      return scope.findings.refuse(item, `the payload has nothing at "${target}"`, "nothing could be replaced");
  }
  return replaced;
}

function withAt(value: WrittenValue, path: readonly string[], next: WrittenValue): WrittenValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    const list = value as readonly WrittenValue[];
    const inner = list[Number(key)];
    const changed = inner === undefined ? undefined : withAt(inner, rest, next);
    return changed === undefined ? undefined : list.with(Number(key), changed);
  }
  if (!isMap(value)) return undefined;
  const changed = rest.length === 0 ? next : value[key] === undefined ? undefined : withAt(value[key], rest, next);
  return changed === undefined ? undefined : { ...value, [key]: changed };
}
