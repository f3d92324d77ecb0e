import { didYouMean } from "../base/text.ts";
import type { Operation } from "../operations/operation.ts";
import { child, type Range, type SourceNode, textOf } from "../source/node.ts";
import type { CheckContext, ExpressionScope } from "./context.ts";
import { readIdentity } from "./declarations.ts";
import { checkEntityText } from "./entity-attributes.ts";
import { KEY_ACTS } from "./frame-parts.ts";
import type { ActorDeclaration, ActorUse } from "./model.ts";
import { holdsExpression, wholeExpression } from "./spans.ts";
import { kindOfType } from "./types.ts";

interface UseSurroundings {
  readonly context: CheckContext;
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  readonly operation: Operation;
  readonly scope: ExpressionScope;
  /** Where `as` stands, in the step or in the playbook's defaults. */
  readonly place: Range;
  /** What to show when the actor and the operation do not go together. */
  readonly use: Range;
}

/** Who acts in a step, by `as` or by the playbook's default; checked against the interface that is called. */
export function readUse(node: SourceNode | undefined, around: UseSurroundings): ActorUse | undefined {
  if (node === undefined) return withoutActor(around);
  if (node.kind === "map") {
    const credential = child(node, "investor");
    if (holdsExpression(textOf(credential) ?? "")) return credentialUse(credential, around);
    const keyActs = textOf(child(node, "ledger")) === KEY_ACTS;
    if (keyActs && around.operation.call.interface === "ledger") return { kind: "key" };
    checkEntityText(child(node, "ledger"), around.context);
    const identity = keyActs ? { ledger: undefined, investor: textOf(credential) } : readIdentity(node);
    return fits({ kind: "identity", name: identity.ledger?.value ?? identity.investor ?? "", identity }, around);
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

function unknownActor(name: string, { context, actors, place }: UseSurroundings): undefined {
  const names = [...actors.keys()];
  const near = didYouMean(name, names);
  const known = names.length === 0 ? "the playbook has no `actors:`" : `actors: ${names.join(", ")}`;
  return context.report(
    {
      code: "playbook.unknown-actor",
      message: `there is no actor "${name}"`,
      suggestion: near === undefined ? known : `did you mean "${near}"?`,
    },
    place,
  );
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
  if (around.operation.call.interface === "investor") {
    return around.context.report(
      {
        code: "playbook.actor-interface",
        message: "interface A knows callers by their key, not as entities",
        suggestion: "as: { investor: CREDENTIAL }",
      },
      around.place,
    );
  }
  return { kind: "entity", entity: checked.expression };
}

// One key for each of many holders: which, only a run knows.
function credentialUse(node: SourceNode | undefined, around: UseSurroundings): ActorUse | undefined {
  const { context, scope, operation } = around;
  const whole = wholeExpression(textOf(node) ?? "");
  if (node?.kind !== "scalar" || whole === undefined) {
    const message = "the name of a credential is one expression, or plain text";
    return context.report({ code: "expression.wrong-type", message, suggestion: CREDENTIAL }, node?.range ?? around.place);
  }
  if (operation.call.interface === "ledger") {
    const message = `interface B, which ${operation.name} calls, knows callers as entities, not by their key`;
    return context.report({ code: "playbook.actor-interface", message, suggestion: 'as: { ledger: "userId:…" }' }, around.place);
  }
  const checked = context.expression(whole.text, node, whole.from, scope);
  if (checked === undefined) return undefined;
  if (checked.type === "string" || checked.type === "dyn") return { kind: "credential", credential: checked.expression };
  const message = `the name of a credential is text; this is ${checked.type}`;
  return context.report({ code: "expression.wrong-type", message, suggestion: CREDENTIAL }, node.range);
}

const CREDENTIAL = 'as: { investor: "${{ holder.credential }}" }';

function fits(use: ActorUse & { kind: "identity" }, { operation, context, use: place }: UseSurroundings): ActorUse | undefined {
  const side = operation.call.interface;
  if (use.identity[side] !== undefined) return use;
  return context.report(
    {
      code: "playbook.actor-interface",
      message: `"${use.name}" has no identity on the ${side} interface, which ${operation.name} calls`,
      suggestion:
        side === "investor"
          ? "give the actor investor: CREDENTIAL, or set `as`"
          : 'give the actor ledger: "userId:…", or set `as`',
    },
    place,
  );
}

// Interface A has no caller without a key. Interface B falls back on the key's own entity: whose a write is must be said, for nobody could
// find it again otherwise.
function withoutActor({ operation, context, place }: UseSurroundings): undefined {
  if (operation.call.interface === "investor") {
    const message = `${operation.name} needs somebody's key`;
    const suggestion = "as: { investor: CREDENTIAL }, or an actor that has one";
    return context.report({ code: "playbook.no-actor", message, suggestion }, place);
  }
  if (!operation.writes) return undefined;
  return context.report(
    {
      code: "playbook.no-actor",
      message: `${operation.name} writes, and nothing says who acts`,
      why: "a write whose actor is unknown can be neither found again when its answer is lost, nor kept apart from those of others",
      suggestion: `write as: ACTOR here or under defaults, or as: { ledger: ${KEY_ACTS} } where the environment's key acts for itself`,
    },
    place,
  );
}
