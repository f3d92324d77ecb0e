import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { Conserved } from "../../services/conserved.ts";
import { conservedThings } from "../../services/services.ts";
import { entriesIn, itemsIn, type MapNode, type SourceNode, startOf, textOf } from "../../source/node.ts";
import { readUse } from "../steps/actor-use.ts";
import { nameIn } from "../steps/identity.ts";
import { type Beside, conditionOver, readSideRead } from "../steps/side-reads.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import { CHECK, type CheckFields } from "../keywords/comparison.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { insideLoop, readForeach, refuseRoundsInPart } from "../steps/foreach.ts";
import type { ActorUse, CheckStep, Conserve, LookCheck } from "../model.ts";
import { checkPlaces } from "../steps/call-rules.ts";
import { readLoop } from "../predictions/warnings.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";

/** Checks and compiles the `checks` of a playbook, which are made when all steps have run. */
export function readChecks(node: SourceNode | undefined, spot: Spot, around: Surroundings): readonly CheckStep[] {
  const names = new Set<string>();
  return itemsIn(node).flatMap((item, at) => {
    if (item.kind !== "map") return [];
    const check = readLoop(item, around.context, () => readCheck(item, at, spot, around));
    if (check === undefined) return [];
    if (names.has(check.id)) {
      const message = `a check "${check.name}" exists already`;
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
  const { name: given, foreach: loop, conserve, severity, as, read, with: input, that, ...rest } = fieldsOf(node, CHECK);
  allRead(rest);
  const rounds = readForeach(loop, around, scopeAt(around, spot));
  const beside: Beside = { spot: insideLoop(spot, rounds), around, as };
  if (conserve !== undefined) refuseRoundsInPart(loop, rounds, around);
  checkPlaces(node, CHECK, context);
  const looks =
    conserve === undefined ? readLook(node, { read, with: input, as, that }, beside) : readConserve(node, conserve, beside);
  if (looks === undefined) return undefined;
  const name = given ?? (looks.kind === "conserve" ? `conserve ${looks.of}` : looks.that.text.trim());
  return {
    kind: "check",
    id: `checks.${given ?? String(at + 1)}`,
    name,
    line: context.file.lineOf(node.range.start),
    if: undefined,
    foreach: rounds.foreach,
    warns: severity === "warn",
    looks,
  };
}

type LookFields = Pick<CheckFields, "read" | "with" | "as" | "that">;

function readLook(node: MapNode, { that: condition, ...fields }: LookFields, beside: Beside): LookCheck | undefined {
  const { context } = beside.around;
  for (const field of ["read", "that"]) {
    if (node.entries.has(field)) continue;
    const message = `a check has \`read\` and \`that\`, or \`conserve\`: "${field}" is missing`;
    return context.report({ code: "playbook.no-work", message }, startOf(node));
  }
  const read = readSideRead(fields, beside);
  const that = conditionOver(read, condition, beside);
  return read === undefined || that === undefined ? undefined : { kind: "look", read, that };
}

/** Reads `conserve`, in a check or in a comparison. */
export function readConserve(node: MapNode, conserve: SourceNode, { spot, around, as }: Beside): Conserve | undefined {
  const { context } = around;
  const [[of, entry] = []] = entriesIn(conserve);
  const conserved = of === undefined ? undefined : conservedThings.get(of);
  if (entry === undefined || of === undefined || conserved === undefined) return undefined;
  const reads = conserved.reads.map(operationNamed);
  const id = compileTemplate(entry.value, { type: "string", "x-id": of }, context, scopeAt(around, spot));
  const everybody = readEverybody(node, { conserved, operation: operationNamed(conserved.reads[0]) }, { spot, around, as });
  return { kind: "conserve", of, conserved, id, reads, as: everybody };
}

interface Everybody {
  readonly conserved: Conserved;
  readonly operation: Operation;
}

// A playbook may name a group if each member sees only their own records.
function readEverybody(
  node: MapNode,
  { conserved, operation }: Everybody,
  { spot, around, as: given }: Beside,
): readonly ActorUse[] {
  const as = given ?? around.defaultAs;
  const place = as?.range ?? node.range;
  const group = around.actors.get(textOf(as) ?? "");
  around.context.usage.use("actors", group?.name ?? "");
  if (group?.group === true && conserved.seenByOwners) {
    const { service } = operation;
    return group.identities.flatMap((identity): readonly ActorUse[] => {
      const name = identity[service.name];
      if (name !== undefined) return [{ kind: "identity", name, identity }];
      const message = `"${nameIn(identity)}" of "${group.name}" has no identity on the ${service.name} interface, so it is not asked`;
      const suggestion = `give it ${service.name}: CREDENTIAL, or name a group without it`;
      around.context.report({ code: "playbook.member-not-asked", message, suggestion }, place);
      return [];
    });
  }
  const scope = scopeAt(around, spot);
  const use = readUse(as, { context: around.context, actors: around.actors, operation, scope, place, use: place });
  return use === undefined ? [] : [use];
}
