import { type Operation, operationNamed } from "../operations/operation.ts";
import type { Conserved } from "../services/conserved.ts";
import { conservedAs } from "../services/services.ts";
import { child, type MapNode, type SourceNode, textOf } from "../source/node.ts";
import { readUse } from "./acting.ts";
import { type Beside, conditionOver, readSideRead } from "./beside.ts";
import { compileTemplate } from "./compile.ts";
import { readForeach } from "./loop.ts";
import type { ActorUse, CheckStep, Conserve, Look } from "./model.ts";
import { readLoop } from "./warnings.ts";
import { scopeAt, type Spot, type Surroundings } from "./spot.ts";

/** Checks and compiles the `checks` of a playbook; all steps have run by then. */
export function readChecks(node: SourceNode | undefined, spot: Spot, around: Surroundings): readonly CheckStep[] {
  const items = node?.kind === "list" ? node.items : [];
  const names = new Set<string>();
  return items.flatMap((item, at) => {
    if (item.kind !== "map") return [];
    const check = readLoop(item, around.context, () => readCheck(item, at, spot, around));
    if (check === undefined) return [];
    if (names.has(check.id)) {
      const message = `a check "${check.name}" is there already`;
      around.context.report(
        { code: "playbook.duplicate-step", message, suggestion: "give each check a name of its own" },
        item.range,
      );
    }
    names.add(check.id);
    return [check];
  });
}

function readCheck(node: MapNode, at: number, spot: Spot, around: Surroundings): CheckStep | undefined {
  const { context } = around;
  const { foreach, item } = readForeach(child(node, "foreach"), around, scopeAt(around, spot));
  const inside =
    foreach === undefined ? spot : { ...spot, variables: { ...spot.variables, ...item }, types: spot.types.with(item) };
  const beside: Beside = { spot: inside, around, as: child(node, "as") };
  const looks = node.entries.has("conserve") ? readConserve(node, beside) : readLook(node, beside);
  if (looks === undefined) return undefined;
  const name = textOf(child(node, "name")) ?? (looks.kind === "conserve" ? `conserve ${looks.of}` : looks.that.text.trim());
  return {
    kind: "check",
    id: `checks.${textOf(child(node, "name")) ?? String(at + 1)}`,
    name,
    line: context.file.lineOf(node.range.start),
    if: undefined,
    foreach,
    warns: textOf(child(node, "severity")) === "warn",
    looks,
  };
}

function readLook(node: MapNode, beside: Beside): Look | undefined {
  const { context } = beside.around;
  for (const field of ["read", "that"]) {
    if (node.entries.has(field)) continue;
    const message = `a check has \`read\` and \`that\`, or \`conserve\`: "${field}" is missing`;
    return context.report({ code: "playbook.no-work", message }, { start: node.range.start, end: node.range.start + 1 });
  }
  const read = readSideRead(node, beside);
  const that = conditionOver(read, child(node, "that"), beside);
  return read === undefined || that === undefined ? undefined : { kind: "look", read, that };
}

/** Reads `conserve`, in a check or in a comparison. */
export function readConserve(node: MapNode, { spot, around }: Beside): Conserve | undefined {
  const { context } = around;
  for (const field of ["read", "that", "with"]) {
    const entry = node.entries.get(field);
    if (entry === undefined) continue;
    context.report(
      { code: "playbook.not-here", message: `conserve knows by itself what to read: it has no "${field}"` },
      entry.key,
    );
  }
  const conserve = child(node, "conserve");
  const [[of, entry] = []] = conserve?.kind === "map" ? [...conserve.entries] : [];
  const conserved = of === undefined ? undefined : conservedAs(of);
  if (entry === undefined || of === undefined || conserved === undefined) return undefined;
  const reads = conserved.reads.map(operationNamed);
  const id = compileTemplate(entry.value, { type: "string", "x-id": of }, context, scopeAt(around, spot));
  const as = readEverybody(node, { conserved, operation: operationNamed(conserved.reads[0]) }, { spot, around });
  return { kind: "conserve", of, conserved, id, reads, as };
}

interface Everybody {
  readonly conserved: Conserved;
  readonly operation: Operation;
}

// A group may be named where each sees only what is their own.
function readEverybody(
  node: MapNode,
  { conserved, operation }: Everybody,
  { spot, around }: Pick<Beside, "spot" | "around">,
): readonly ActorUse[] {
  const as = child(node, "as") ?? around.defaultAs;
  const group = around.actors.get(textOf(as) ?? "");
  around.context.usage.use("actors", group?.name ?? "");
  if (group?.group === true && conserved.seenByOwners) {
    return group.identities.flatMap((identity): readonly ActorUse[] => {
      const name = identity[operation.service.name];
      return name === undefined ? [] : [{ kind: "identity", name, identity }];
    });
  }
  const place = as?.range ?? node.range;
  const scope = scopeAt(around, spot);
  const use = readUse(as, { context: around.context, actors: around.actors, operation, scope, place, use: place });
  return use === undefined ? [] : [use];
}
