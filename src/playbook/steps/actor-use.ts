import { readEntity } from "../../base/entity.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import type { Operation } from "../../operations/operation.ts";
import { hasEntities, type Service, services } from "../../services/services.ts";
import { child, type Range, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext, ExpressionScope } from "../check-context.ts";
import { checkEntityText } from "./entity-attributes.ts";
import { KEY_ACTS, nameIn, readIdentity } from "./identity.ts";
import type { ActorDeclaration, ActorUse } from "../model.ts";
import { adviceOnSpaces, holdsExpression, wholeExpression } from "../expressions/expression-spans.ts";
import { kindOfType } from "../types/value-types.ts";

interface UseSurroundings {
  readonly context: CheckContext;
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  readonly operation: Operation;
  readonly scope: ExpressionScope;
  /** The place of `as`, in the step or in the playbook's defaults. */
  readonly place: Range;
  /** The place to show if the actor and the operation do not fit together. */
  readonly use: Range;
}

/** Reads who acts in a step, from `as` or the playbook's default. Checks this against the interface of the call. */
export function readUse(node: SourceNode | undefined, around: UseSurroundings): ActorUse | undefined {
  if (node === undefined) return withoutActor(around);
  if (node.kind === "map") {
    const { service } = around.operation;
    for (const each of services) {
      const credential = hasEntities(each) ? undefined : child(node, each.name);
      if (holdsExpression(textOf(credential) ?? "")) return credentialUse(each, credential, around);
    }
    if (hasEntities(service) && textOf(child(node, service.name)) === KEY_ACTS) return { kind: "key" };
    for (const { name } of services.filter(hasEntities)) checkEntityText(child(node, name), around.context);
    const identity = readIdentity(node);
    return fits({ kind: "identity", name: nameIn(identity), identity }, around);
  }
  const text = node.kind === "scalar" ? String(node.value) : "";
  const whole = wholeExpression(text);
  if (whole !== undefined && node.kind === "scalar") {
    return entityUse(around, around.context.expression(whole.text, node, whole.from, around.scope));
  }
  return namedUse(text, around);
}

function namedUse(name: string, around: UseSurroundings): ActorUse | undefined {
  const actor = around.actors.get(name);
  around.context.usage.use("actors", name);
  if (actor === undefined) return unknownActor(name, around);
  const [identity] = actor.identities;
  if (actor.group || identity === undefined) {
    return around.context.report(
      {
        code: "playbook.group-acts",
        message: `"${name}" is a group; one step has one actor`,
        suggestion: `foreach: { member: "\${{ actors.${name} }}", key: member.userId }, and as: "\${{ member }}"`,
      },
      around.place,
    );
  }
  return fits({ kind: "identity", name, identity }, around);
}

/** Reports an `as` in `defaults` that names no actor, even if no step uses it. */
export function checkDefaultActor(
  node: SourceNode | undefined,
  actors: ReadonlyMap<string, ActorDeclaration>,
  context: CheckContext,
): void {
  const name = textOf(node);
  if (node === undefined || name === undefined || wholeExpression(name) !== undefined || actors.has(name)) return;
  unknownActor(name, { context, actors, place: node.range });
}

function unknownActor(
  name: string,
  { context, actors, place }: Pick<UseSurroundings, "context" | "actors" | "place">,
): undefined {
  const names = [...actors.keys()];
  const known = names.length === 0 ? "the playbook has no `actors:`" : `actors: ${names.join(", ")}`;
  return context.report(
    {
      code: "playbook.unknown-actor",
      message: `there is no actor "${name}"`,
      suggestion: adviceOnSpaces(name) ?? entityAdvice(name) ?? didYouMeanOr(name, names, known),
    },
    place,
  );
}

function entityAdvice(name: string): string | undefined {
  const named = services.find(hasEntities)?.name;
  return readEntity(name) === undefined || named === undefined ? undefined : `as: { ${named}: "${name}" }`;
}

function entityUse(around: UseSurroundings, checked: ReturnType<CheckContext["expression"]>): ActorUse | undefined {
  if (checked === undefined) return undefined;
  const kind = kindOfType(checked.type);
  if (kind !== undefined && kind !== "object") {
    const suggestion = kind === "array" ? "take one, as in actors.board[0], or use foreach" : undefined;
    return around.context.report(
      { code: "expression.wrong-type", message: `an actor is an entity; this is ${checked.type}`, suggestion },
      around.place,
    );
  }
  const { service } = around.operation;
  if (!hasEntities(service)) {
    return around.context.report(
      {
        code: "playbook.actor-interface",
        message: `${service.title} knows callers by their key, not as entities`,
        suggestion: `as: { ${service.name}: CREDENTIAL }`,
      },
      around.place,
    );
  }
  return { kind: "entity", on: service.name, entity: checked.expression };
}

// Each of many holders has a key. Only a run knows which one.
function credentialUse({ name }: Service, node: SourceNode | undefined, around: UseSurroundings): ActorUse | undefined {
  const { context, scope, operation } = around;
  const { service } = operation;
  const suggestion = `as: { ${name}: "\${{ holder.credential }}" }`;
  const whole = wholeExpression(textOf(node) ?? "");
  if (node?.kind !== "scalar" || whole === undefined) {
    const message = "the name of a credential is one expression, or plain text";
    return context.report({ code: "expression.wrong-type", message, suggestion }, node?.range ?? around.place);
  }
  if (service.name !== name) {
    const known = hasEntities(service) ? "as entities, not by their key" : "by keys of its own";
    const message = `${service.title}, which ${operation.name} calls, knows callers ${known}`;
    return context.report({ code: "playbook.actor-interface", message, suggestion: `as: ${exampleOf(service)}` }, around.place);
  }
  const checked = context.expression(whole.text, node, whole.from, scope);
  if (checked === undefined) return undefined;
  if (checked.type === "string" || checked.type === "dyn")
    return { kind: "credential", on: name, credential: checked.expression };
  const message = `the name of a credential is text; this is ${checked.type}`;
  return context.report({ code: "expression.wrong-type", message, suggestion }, node.range);
}

function exampleOf(service: Service): string {
  return `{ ${identityExample(service)} }`;
}

function identityExample(service: Service): string {
  return `${service.name}: ${hasEntities(service) ? '"userId:…"' : "CREDENTIAL"}`;
}

function fits(use: ActorUse & { kind: "identity" }, { operation, context, use: place }: UseSurroundings): ActorUse | undefined {
  const { service } = operation;
  if (use.identity[service.name] !== undefined) return use;
  return context.report(
    {
      code: "playbook.actor-interface",
      message: `"${use.name}" has no identity on the ${service.name} interface, which ${operation.name} calls`,
      suggestion: `give the actor ${identityExample(service)}, or set \`as\``,
    },
    place,
  );
}

// If callers are identified by their keys, a call without a key is impossible. On other interfaces the key's own entity would act. But the
// playbook must name the actor of a write, because otherwise nobody could find the write again.
function withoutActor({ operation, context, place }: UseSurroundings): undefined {
  const { service } = operation;
  if (!hasEntities(service)) {
    const message = `${operation.name} needs somebody's key`;
    const suggestion = `as: ${exampleOf(service)}, or an actor that has one`;
    return context.report({ code: "playbook.no-actor", message, suggestion }, place);
  }
  if (!operation.writes) return undefined;
  return context.report(
    {
      code: "playbook.no-actor",
      message: `${operation.name} writes, and nothing says who acts`,
      why: "a write whose actor is unknown can be neither found again when its answer is lost, nor kept apart from those of others",
      suggestion: `write as: ACTOR here or under defaults, or as: { ${service.name}: ${KEY_ACTS} } where the environment's key acts for itself`,
    },
    place,
  );
}
