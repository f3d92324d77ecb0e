import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import type { Operation } from "../../operations/operation.ts";
import { didYouMean } from "../../base/text/text.ts";
import { nodeAt } from "../../source/node.ts";
import {
  actorPlace,
  areApart,
  type CertainCall,
  CertainPlaybook,
  entityWords,
  fieldOf,
  itemsOf,
  lastingSpelling,
  partsAt,
} from "./certain-calls.ts";
import type { CheckContext } from "../check-context.ts";
import { type MadeToken, madeTokens, rolesMapOf } from "./made-tokens.ts";
import type { CallStep, Playbook, Step } from "../model.ts";
import type { Outline } from "../outline.ts";
import { checkQuantities } from "./quantities.ts";
import { checkRequests } from "./approval-requests.ts";
import { checkTwice } from "./repeated-ids.ts";
import { callsOf, stepsIn } from "../playbook-walk.ts";

/** Reports what the service will certainly refuse, judging by the playbook's own text. */
export function checkRefusals(playbook: Playbook, outlines: ReadonlyMap<string, Outline>, context: CheckContext): void {
  const certain = new CertainPlaybook(playbook, outlines);
  const tokens = madeTokens(certain);
  checkQuantities(certain, tokens, context);
  checkRequests(certain, context);
  checkTwice(certain, context);
  const steps = [...stepsIn(playbook.steps)];
  for (const call of certain.calls) {
    checkRole(call, { certain, tokens, steps, context });
    warnOfMisspeltRoles(call, { certain, tokens, context });
  }
}

// A token may give any name to a role. So its rolesMap must be known, and only a name that is almost a known name is reported.
function warnOfMisspeltRoles(call: CertainCall, { certain, tokens, context }: Omit<RoleCheck, "steps">): void {
  const { givesRoles, makesTokens } = call.step.operation.meaning;
  if (givesRoles === undefined) return;
  for (const { input, node } of itemsOf(call)) {
    const made = tokens.get(lastingSpelling(fieldOf(input, "id")) ?? "");
    const map = makesTokens === undefined ? made?.rolesMap : rolesMapOf(certain, input);
    if (map === undefined) continue;
    const known = [...givesRoles.known, ...Object.values(map).filter((name) => typeof name === "string")];
    for (const { part, path } of partsAt(input, givesRoles.at)) {
      const name = certain.value(part);
      if (typeof name !== "string" || known.includes(name)) continue;
      const near = didYouMean(name, givesRoles.known);
      if (near === undefined) continue;
      const message = `"${name}" is none of the known roles: ${known.join(", ")}`;
      context.report(
        { code: "playbook.misspelt-role", message, suggestion: `did you mean "${near}"?` },
        nodeAt(node, path).range,
      );
    }
  }
}

interface RoleCheck {
  readonly certain: CertainPlaybook;
  readonly tokens: ReadonlyMap<string, MadeToken>;
  readonly steps: readonly Step[];
  readonly context: CheckContext;
}

function checkRole(call: CertainCall, { certain, tokens, steps, context }: RoleCheck): void {
  const { step } = call;
  const what = step.operation.meaning.needsRole;
  const actors = what === undefined ? undefined : certain.actors(step);
  if (what === undefined || actors === undefined) return;
  for (const { input } of itemsOf(call)) {
    const spelling = lastingSpelling(fieldOf(input, "id"));
    const token = tokens.get(spelling ?? "");
    if (token?.rolesMap === undefined || mayHaveChanged(token, call, steps)) continue;
    const named = token.rolesMap[what.key];
    const role = typeof named === "string" ? named : what.role;
    const mayToo = named === undefined ? certain.actors(token.call.step) : [];
    const stranger = actors.find((actor) => isStranger(actor, role, { token, mayToo }));
    if (stranger === undefined) continue;
    const made = token.call.step;
    context.report(
      {
        code: "playbook.no-role",
        message: `${entityWords(stranger)} may not ${what.verb} this token: it lacks the role ${role}`,
        why: `the step "${made.id}" (line ${made.line}) gives the role ${holdersOf(token, role)}${named === undefined ? ", and the token belongs to someone else" : ""}`,
        suggestion: `let another act with as:, or give the role in tokenPermissions or with ${what.givenBy}`,
      },
      actorPlace(call),
    );
  }
}

interface Rule {
  readonly token: MadeToken;
  /** Who may act without the role: the owner, if the token's rolesMap does not name the role; `undefined` if unknown. */
  readonly mayToo: readonly JsonObject[] | undefined;
}

function isStranger(actor: JsonObject, role: string, { token: { permissions }, mayToo }: Rule): boolean {
  if (permissions === undefined || mayToo === undefined) return false;
  const holders = permissions.filter((permission) => mayHold(permission, role)).map((holder) => field(holder, "entity") ?? null);
  return [...holders, ...mayToo].every((holder) => areApart(holder, actor));
}

function mayHold(permission: Json, role: string): boolean {
  const roles = field(permission, "roles");
  return !Array.isArray(roles) || roles.includes(role);
}

function holdersOf({ permissions = [] }: MadeToken, role: string): string {
  const holders = permissions.filter((permission) => mayHold(permission, role));
  if (holders.length === 0) return "to nobody";
  return `to ${holders.map((holder) => (isObject(holder) ? entityWords(holder["entity"] ?? null) : "")).join(", ")}`;
}

// Few operations change the rights in a token. In a loop, even steps that come later in the text may have run before.
function mayHaveChanged(token: MadeToken, { step, outline }: CertainCall, steps: readonly Step[]): boolean {
  const before = outline.loops.length > 0 ? steps : steps.slice(0, steps.indexOf(step));
  const own = `steps.${token.call.step.id}.id`;
  return before.some((each) => {
    if (each.kind === "include") return [...callsOf(each.playbook)].some(({ operation }) => changesRights(operation));
    return each.kind === "call" && changesRights(each.operation) && mayBeOf(each, own);
  });
}

function changesRights({ meaning }: Operation): boolean {
  return meaning.effect !== "read" && meaning.changesRights === true;
}

function mayBeOf(step: CallStep, own: string): boolean {
  const spelling = lastingSpelling(fieldOf(step.with, "id"));
  return spelling === undefined || spelling === own || !/^steps\.\w+\.id$/.test(spelling);
}
