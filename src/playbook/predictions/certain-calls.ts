import { isObject, type Json, type JsonObject, writeJson } from "../../base/json/json.ts";
import { ifKnown, type Scope } from "../../expression/expression.ts";
import { child, type MapNode, nodeAt, type Range, type SourceNode } from "../../source/node.ts";
import { actorsValue, entityIn } from "../steps/identity.ts";
import { type CallStep, isWrite, type Playbook, type WriteStep } from "../model.ts";
import type { Outline } from "../outline.ts";
import { bind, expressionsIn, type Template } from "../expressions/template.ts";
import { stepsIn } from "../playbook-walk.ts";

/** A write that depends on no condition: it is certainly made, and is expected to pass. */
export interface CertainCall {
  /** The step that makes it. */
  readonly step: WriteStep;
  /** The step as it was written. */
  readonly node: MapNode;
  /** The step's outline. */
  readonly outline: Outline;
}

/** The input of a call, or one item of its batch, with its place. */
export interface RequestedItem {
  /** The template of the item. */
  readonly input: Template;
  /** Where the item is written; the step if it has no input. */
  readonly node: SourceNode;
  /** Whether the call has no other item. */
  readonly alone: boolean;
}

/** The parts of a playbook whose values are known before a run. */
export class CertainPlaybook {
  /** The calls in the order of the steps, including those in blocks. */
  readonly calls: readonly CertainCall[];
  /** The value of `actors`, without the organization, which only the environment knows. */
  readonly #actors: JsonObject;

  constructor(playbook: Playbook, outlines: ReadonlyMap<string, Outline>) {
    this.#actors = actorsValue(playbook.actors);
    this.calls = [...stepsIn(playbook.steps)].flatMap((step) => {
      if (step.kind !== "call" || !isWrite(step)) return [];
      const outline = outlines.get(step.id);
      return outline !== undefined && isCertain(step, outline) ? [{ step, outline, node: outline.node }] : [];
    });
  }

  /** Returns the value of a template if it is the same in every run. */
  value(template: Template | undefined, bound: Scope = {}): Json | undefined {
    if (template === undefined) return undefined;
    const scope: Scope = { actors: this.#actors, ...bound };
    const isInScope = expressionsIn(template).every(({ references }) =>
      references.every(({ root }) => Object.hasOwn(scope, root)),
    );
    return isInScope ? ifKnown(() => bind(template, scope), undefined) : undefined;
  }

  /** Returns the actors of a call, in the order of its rounds; `undefined` if only a run knows them. */
  actors({ as, foreach }: CallStep): readonly JsonObject[] | undefined {
    if (as === undefined) return undefined;
    if (as.kind === "identity") {
      const entity = entityIn(as.identity);
      return entity === undefined ? undefined : [entity];
    }
    if (as.kind === "credential" || as.kind === "key") return undefined;
    const template: Template = { kind: "expression", expression: as.entity, number: false };
    const list = foreach === undefined ? [undefined] : this.value(foreach.list);
    if (!Array.isArray(list)) return undefined;
    const found = list.map((item) =>
      this.value(template, foreach === undefined || item === undefined ? {} : { [foreach.variable]: item as Json }),
    );
    return found.every(isEntity) ? found : undefined;
  }
}

// If there is a condition or a rescue, a call that looks wrong may be intended (decision 7).
function isCertain(step: CallStep, { conditional, sections }: Outline): boolean {
  const around = sections.some((section) => section.conditional || section.rescues || section.part === "rescue");
  return !conditional && !around && step.fails === undefined && step.ensure === undefined;
}

function isEntity(value: Json | undefined): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((part) => typeof part === "string");
}

/** Returns whether two entities certainly differ: an attribute other than the organization differs, and neither is a whole organization. */
export function areApart(one: Json, other: Json): boolean {
  if (!isEntity(one) || !isEntity(other)) return false;
  const common = Object.keys(one).filter((name) => name !== "orgId" && Object.hasOwn(other, name));
  return common.some((name) => one[name] !== other[name]);
}

/** An entity in words, such as `userId:alice`. */
export function entityWords(entity: Json): string {
  if (!isEntity(entity)) return writeJson(entity);
  return Object.entries(entity)
    .map(([attribute, value]) => `${attribute}:${value}`)
    .join(" ");
}

/** Returns the place where a call says who acts or, without it, the place of its operation. */
export function actorPlace({ node }: CertainCall): Range {
  return (child(node, "as") ?? child(node, "uses") ?? node).range;
}

/** Returns the items of a call in order. */
export function itemsOf({ step, node }: CertainCall): readonly RequestedItem[] {
  const input = child(node, "with") ?? node;
  const batch = step.operation.batches ? fieldOf(step.with, "items") : undefined;
  if (batch?.kind !== "list") return [{ input: step.with, node: input, alone: true }];
  return batch.items.map((item, at) => ({ input: item, node: nodeAt(input, ["items", String(at)]), alone: false }));
}

/** Returns the value of a template's field, at a path of fields. */
export function fieldOf(template: Template | undefined, ...path: readonly string[]): Template | undefined {
  let at = template;
  for (const name of path) at = at?.kind === "object" ? at.entries.find(([field]) => field === name)?.[1] : undefined;
  return at;
}

/** Returns how a template spells an id: the id itself, or the text of its expression. */
export function spellingOf(template: Template | undefined): string | undefined {
  if (template?.kind === "literal" && typeof template.value === "string") return `=${template.value}`;
  return template?.kind === "expression" ? template.expression.text.trim() : undefined;
}

/** Returns the spelling of an id if the same spelling in another step means the same id. This is not so for the item of a loop. */
export function lastingSpelling(template: Template | undefined): string | undefined {
  const isLasting = template?.kind !== "expression" || template.expression.references.every(({ root }) => LASTING.has(root));
  return isLasting ? spellingOf(template) : undefined;
}

const LASTING: ReadonlySet<string> = new Set(["actors", "env", "inputs", "run", "secrets", "steps"]);

/** A part of a template, with its place below the template. */
export interface PartAt {
  /** The part; `undefined` if there is none. */
  readonly part: Template | undefined;
  /** Keys and indexes from the template to the part. */
  readonly path: readonly string[];
}

/** Returns the parts of a template at a dotted name. `*` means each item of a list that is written in the text. */
export function partsAt(template: Template | undefined, name: string): readonly PartAt[] {
  return name
    .split(".")
    .reduce<readonly PartAt[]>(
      (parts, step) =>
        parts.flatMap((each) =>
          step === "*" ? itemsIn(each) : [{ part: fieldOf(each.part, step), path: [...each.path, step] }],
        ),
      [{ part: template, path: [] }],
    );
}

function itemsIn({ part, path }: PartAt): readonly PartAt[] {
  return part?.kind === "list" ? part.items.map((item, at) => ({ part: item, path: [...path, String(at)] })) : [];
}
