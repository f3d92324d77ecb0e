import type { TypeEnvironment, TypeName, Variable } from "../../expression/types.ts";
import type { Reference } from "../../expression/reference.ts";
import type { SourceNode } from "../../source/node.ts";
import type { CheckContext, ExpressionScope } from "../check-context.ts";
import type { IncludedPlaybooks } from "../included-playbooks.ts";
import type { ActorDeclaration } from "../model.ts";
import type { ListsInPart } from "../types/lists-in-part.ts";
import type { Standpoint, StepNames } from "../types/step-names.ts";
import type { Outline } from "../outline.ts";
import type { KnownSecrets, OutsideNames } from "../settings/secrets-and-variables.ts";
import type { StepTypes } from "../types/step-types.ts";

/** What every part of one playbook is checked against. */
export interface Surroundings {
  /** Collects the findings of the check. */
  readonly context: CheckContext;
  /** Checks the uses of `steps`. */
  readonly names: StepNames;
  /** Finds the lists that hold only a part of what the service has. */
  readonly lists: ListsInPart;
  /** Checks the uses of `secrets` and `env`. */
  readonly outside: OutsideNames;
  /** The secrets that the playbook declares, and those that its outside rows refer to. */
  readonly secrets: KnownSecrets;
  /** The type of `steps` at each place. */
  readonly types: StepTypes;
  /** The actors by their names. */
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  /** The `as` of `defaults`, for calls without their own; `undefined` if there is none. */
  readonly defaultAs: SourceNode | undefined;
  /** Whether the playbook is `mode: read-only`. */
  readonly readOnly: boolean;
  /** Finds the playbooks that this one includes. */
  readonly included: IncludedPlaybooks;
}

/** A place in a playbook, with the names that may be used there. */
export interface Spot extends Standpoint {
  /** The item names of the surrounding loops. */
  readonly variables: Readonly<Record<string, Variable>>;
  /** Whether the service is expected to refuse the call. */
  readonly fails: boolean;
  /** Whether a condition may prevent the place from being reached. */
  readonly maybe: boolean;
  /** The types of the names that may be used there. */
  readonly types: TypeEnvironment;
  /** The steps before it. The list grows while the playbook is read. */
  readonly done: Set<string>;
}

/** The first place of a playbook, where nothing has run yet. */
export function firstSpot(types: StepTypes): Spot {
  return { done: new Set(), sections: [], under: [], variables: {}, fails: false, maybe: false, types: types.within([]) };
}

/** A spot within a part of a block. */
export function within(spot: Spot, block: Outline, part: Outline["sections"][number], around: Surroundings): Spot {
  const sections = [...spot.sections, part];
  if (!block.foreach) return { ...spot, sections };
  const types = around.types.within(sections.filter(({ foreach }) => foreach).map(({ block: loop }) => loop));
  return { ...spot, sections, types: types.with(spot.variables) };
}

/** Returns the names that an expression at a spot may use. `own` is the step of the expression; its answer is available if `answered` is set. */
export function scopeAt(around: Surroundings, spot: Spot, own?: Own, more?: Readonly<Record<string, TypeName>>): ExpressionScope {
  return {
    get types(): TypeEnvironment {
      return more === undefined ? spot.types : spot.types.with(more);
    },
    answer: own?.answer,
    names: (expression) =>
      expression.references.some(isFromBefore)
        ? (around.outside.check(expression, { own: own?.id, items: Object.keys(spot.variables) }) ??
          around.names.check(expression, standpointOf(spot, own)))
        : undefined,
    fails: spot.fails,
    under: spot.under,
    maybe: spot.maybe,
  };
}

// Other names are looked up only when they are used, because most expressions use only the answer.
function isFromBefore({ root }: Reference): boolean {
  return root === "steps" || root === "secrets" || root === "env";
}

function standpointOf(spot: Spot, own: Own | undefined): Standpoint {
  if (own === undefined) return spot;
  const done = own.answered === true ? { has: (id: string) => id === own.id || spot.done.has(id) } : spot.done;
  return { ...spot, done, own: own.id };
}

/** The step that an expression belongs to. */
interface Own {
  readonly id: string;
  readonly answered?: boolean;
  /** The types for expressions that use only its answer. */
  readonly answer?: TypeEnvironment;
}
