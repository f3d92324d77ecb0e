import { formatDuration } from "../../base/time/duration.ts";
import { LIMITS } from "../../base/limits.ts";
import type { TypeName } from "../../expression/types.ts";
import type { OutsideKind, OutsidePlace } from "../../rows/outside.ts";
import { entriesIn, type MapNode, type SourceNode, startOf, textOf, toJson } from "../../source/node.ts";
import { readBare } from "../expressions/bare-expression.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import { mayReadData } from "../inputs/file-input.ts";
import { partsFit } from "../inputs/input-declarations.ts";
import { ShapeReader } from "../inputs/shape-reader.ts";
import { ROWS, type RowsFields } from "../keywords/comparison.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import type { ListSource, OutsideSource } from "../model.ts";
import type { ValueShape } from "../declarations.ts";
import { resolveFrom } from "../playbook-files.ts";
import { withoutSecrets } from "../settings/secrets-and-variables.ts";
import { typeOfShape } from "../types/value-types.ts";

/** Rows that no operation gives, with their type. */
export interface GivenRows {
  /** The source of the rows. */
  readonly source: ListSource | OutsideSource;
  /** The type of one row. */
  readonly item: TypeName;
  /** The spot of expressions about a row, with its type. */
  readonly spot: Spot;
}

/** Reads `rows` that name a place outside the service. */
export function readOutsideRows(node: MapNode, spot: Spot, around: Surroundings): GivenRows | undefined {
  const { context } = around;
  const { properties, required, ...rest } = fieldsOf(node, ROWS);
  const place = readPlace(node, rest, { spot, around });
  const fits = partsFit(node, context);
  if (place === undefined || properties === undefined || !fits) return undefined;
  const shape: ValueShape = { type: "object", ...new ShapeReader("row", context).properties({ properties, required }, []) };
  const types = spot.types.copy();
  return {
    source: { kind: "outside", place, shape, file: context.file.path, written: toJson(node) },
    item: typeOfShape(types, shape, "Row"),
    spot: { ...spot, types },
  };
}

/** The other keywords of each kind of place, in addition to `properties` and `required`. */
const BESIDE: Readonly<Record<OutsideKind, Readonly<Partial<Record<keyof RowsFields, "must" | "may">>>>> = {
  csv: {},
  ndjson: {},
  sqlite: { query: "must", timeout: "may" },
  postgres: { query: "must", timeout: "may" },
  http: { headers: "may", each: "may", next: "may", timeout: "may" },
};

interface RowsPlace {
  readonly spot: Spot;
  readonly around: Surroundings;
}

type PlaceFields = Omit<RowsFields, "properties" | "required">;

function readPlace(node: MapNode, fields: PlaceFields, { spot, around }: RowsPlace): OutsidePlace | undefined {
  const { csv, ndjson, sqlite, postgres, http, query = "", headers, each, next, timeout: timeoutMs, ...rest } = fields;
  allRead(rest);
  if (!isOneKind(node, timeoutMs, around)) return undefined;
  if (http !== undefined) {
    const names = entriesIn(headers);
    const scope = withoutSecrets(scopeAt(around, spot, undefined, { response: "dyn", page: "decimal" }));
    return {
      kind: "http",
      address: around.secrets.addressOf(http, "http", around.context),
      headers: new Map(names.map(([name, { value }]) => [name, around.secrets.nameOf(value, name, around.context)])),
      each: readBare(each, around.context, scope)?.expression,
      next: readBare(next, around.context, scope)?.expression,
      timeoutMs,
    };
  }
  if (postgres !== undefined)
    return { kind: "postgres", address: around.secrets.addressOf(postgres, "postgres", around.context), query, timeoutMs };
  const path = readPath(csv ?? ndjson ?? sqlite, around);
  if (path === undefined) return undefined;
  if (sqlite !== undefined) return { kind: "sqlite", path, query, timeoutMs };
  return { kind: csv === undefined ? "ndjson" : "csv", path };
}

function isOneKind(node: MapNode, timeoutMs: number, { context }: Surroundings): boolean {
  const found = KINDS.filter((kind) => node.entries.has(kind));
  const [kind] = found;
  const report = (message: string, suggestion: string, at: string | undefined): false => {
    const range = node.entries.get(at ?? "")?.key ?? startOf(node);
    context.report({ code: "playbook.reconcile-rows", message, suggestion }, range);
    return false;
  };
  if (kind === undefined || found.length > 1)
    return report(`rows are in one place, and ${found.length} are named`, `name one of ${KINDS.join(", ")}`, found[1]);
  const beside = BESIDE[kind];
  const extra = OTHERS.find((name) => node.entries.has(name) && beside[name] === undefined);
  if (extra !== undefined) return report(`"${extra}" does not apply to ${kind}`, "delete it", extra);
  if (timeoutMs < 1 || timeoutMs > LIMITS.requestMs)
    return report(`"timeout" must be from 1ms to ${formatDuration(LIMITS.requestMs)}`, "correct it", "timeout");
  const missing = OTHERS.find((name) => beside[name] === "must" && !node.entries.has(name));
  return missing === undefined || report(`${kind} has no "${missing}"`, `write ${missing}: SELECT …`, kind);
}

const KINDS = Object.keys(BESIDE) as readonly OutsideKind[];
const OTHERS = ["query", "timeout", "headers", "each", "next"] as const;

function readPath(node: SourceNode | undefined, { context }: Surroundings): string | undefined {
  const written = textOf(node);
  if (node === undefined || written === undefined) return undefined;
  const path = resolveFrom(context.file.path, written);
  return mayReadData(path, node, context) ? path : undefined;
}
