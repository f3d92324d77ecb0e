import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import type { MadeTokens } from "../../services/predictable-write.ts";
import { type CertainCall, type CertainPlaybook, fieldOf, itemsOf, lastingSpelling, partsAt } from "./certain-calls.ts";
import type { Template } from "../expressions/template.ts";

/** What the text shows of a token that the playbook itself creates. */
export interface MadeToken {
  /** The call that creates it. */
  readonly call: CertainCall;
  /** How many digits its quantities may have after the decimal point. */
  readonly decimals: number | undefined;
  /** The largest total quantity that may ever be minted. */
  readonly cap: Decimal | undefined;
  /** Its `rolesMap`, which gives roles other names; empty if it has none, `undefined` if only a run knows it. */
  readonly rolesMap: JsonObject | undefined;
  /** Its `tokenPermissions`, which say who has which roles; empty if it has none, `undefined` if only a run knows them. */
  readonly permissions: readonly Json[] | undefined;
}

/** Returns the tokens that a playbook creates, by the spelling of their ids. */
export function madeTokens(playbook: CertainPlaybook): ReadonlyMap<string, MadeToken> {
  const made = new Map<string, MadeToken>();
  for (const call of playbook.calls) {
    const { step } = call;
    const { makesTokens } = step.operation.meaning;
    if (makesTokens === undefined || step.foreach !== undefined) continue;
    for (const { input, alone } of itemsOf(call)) {
      const own = alone ? `steps.${step.id}` : undefined;
      for (const { definition, id } of definitionsIn(makesTokens, input, own)) {
        const token = tokenOf(playbook, { call, definition, saysRights: makesTokens.saysRights });
        for (const spelling of [id, lastingSpelling(fieldOf(definition, "id"))])
          if (spelling !== undefined) made.set(spelling, token);
      }
    }
  }
  return made;
}

interface DefinedToken {
  readonly definition: Template;
  /** The spelling of the token's id in later steps. */
  readonly id: string | undefined;
}

function definitionsIn({ at, yields }: MadeTokens, input: Template, own: string | undefined): readonly DefinedToken[] {
  const idAt = (index: string): string | undefined => (own === undefined ? undefined : `${own}.${yields}${index}`);
  if (at === undefined) return [{ definition: input, id: idAt("") }];
  return partsAt(input, at).flatMap(({ part }, index) =>
    part === undefined ? [] : [{ definition: part, id: idAt(`[${index}]`) }],
  );
}

interface TokenMaking {
  readonly call: CertainCall;
  readonly definition: Template;
  readonly saysRights: boolean;
}

function tokenOf(playbook: CertainPlaybook, { call, definition, saysRights }: TokenMaking): MadeToken {
  const [decimals, cap] = ["decimal", "maxMintQuantity"].map((name) => playbook.value(fieldOf(definition, "behaviour", name)));
  return {
    call,
    decimals: decimals instanceof Decimal ? decimals.approximate() : undefined,
    cap: cap instanceof Decimal && !cap.isZero() ? cap : undefined,
    rolesMap: rolesMapOf(playbook, definition),
    permissions: saysRights ? permissionsOf(playbook, definition) : undefined,
  };
}

/** Returns the `rolesMap` of a token's definition; empty if it has none, `undefined` if only a run knows it. */
export function rolesMapOf(playbook: CertainPlaybook, definition: Template): JsonObject | undefined {
  const behaviour = fieldOf(definition, "behaviour");
  if (behaviour !== undefined && behaviour.kind !== "object") return undefined;
  const map = fieldOf(behaviour, "rolesMap");
  const rolesMap = map === undefined ? {} : playbook.value(map);
  return isObject(rolesMap) ? rolesMap : undefined;
}

function permissionsOf(playbook: CertainPlaybook, definition: Template): readonly Json[] | undefined {
  const given = fieldOf(definition, "tokenPermissions");
  const permissions = given === undefined ? [] : playbook.value(given);
  return Array.isArray(permissions) ? (permissions as readonly Json[]) : undefined;
}
