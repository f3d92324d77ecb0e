import { Decimal } from "../../base/numbers/decimal.ts";
import { type Json, shownJson } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Mapping } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { SideName } from "../../reconcile/row.ts";

/** Translates parts of keys to their names on the right side, whichever side they were read on. */
export interface Mapped {
  /** Returns a value's name on the right side, with a mark if no mapping has it; the value itself if the part is not mapped. */
  readonly canonical: (side: SideName, part: string, value: string) => string;
  /** Returns whether the playbook maps this part of the key. */
  readonly isMapped: (part: string) => boolean;
}

interface MappedNames {
  readonly toRight: ReadonlyMap<string, string>;
  readonly ofRight: ReadonlySet<string>;
}

/** Returns the operator's mappings, ready to be looked up; or what is wrong with them. Throws an EvaluationFailure. */
export function mappingsOf(mappings: readonly Mapping[], scope: Scope): Mapped | StepProblem {
  const byPart = new Map<string, MappedNames>();
  for (const mapping of mappings) {
    const names = namesOf(mapping, scope);
    if ("code" in names) return names;
    byPart.set(mapping.part, names);
  }
  return {
    isMapped: (part) => byPart.has(part),
    canonical: (side, part, value) => {
      const names = byPart.get(part);
      if (names === undefined) return value;
      if (side === "right") return names.ofRight.has(value) ? value : unmapped(side, value);
      return names.toRight.get(value) ?? unmapped(side, value);
    },
  };
}

// An unmapped name is marked with its side: the other side may use the same name for another thing, and the two must not compare as equal.
function unmapped(side: SideName, value: string): string {
  return `${value} (not mapped, ${side})`;
}

function namesOf({ part, from, left, right }: Mapping, scope: Scope): MappedNames | StepProblem {
  const rows = bind(from, scope);
  if (!Array.isArray(rows)) return wrong(part, "`from` is not a list");
  const toRight = new Map<string, string>();
  const ofRight = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const [one, other] = [fieldOf(row as Json, left), fieldOf(row as Json, right)];
    if (one === undefined || other === undefined) {
      const missing = one === undefined ? left : right;
      return wrong(part, `its row ${index + 1} has no text or number under "${missing}": ${shownJson(row)}`);
    }
    if (toRight.has(one)) return wrong(part, `two of its rows have ${JSON.stringify(one)} under "${left}"`);
    if (ofRight.has(other)) return wrong(part, `two of its rows have ${JSON.stringify(other)} under "${right}"`);
    toRight.set(one, other);
    ofRight.add(other);
  }
  return { toRight, ofRight };
}

function fieldOf(row: Json, name: string): string | undefined {
  const value = field(row, name);
  if (value instanceof Decimal) return value.canonical();
  return typeof value === "string" ? value : undefined;
}

function wrong(part: string, what: string): StepProblem {
  return {
    code: "reconcile.mapping",
    message: `map.${part}: ${what}`,
    why: "each name on one side must map to one name on the other, or rows would be compared with the wrong ones",
    next: "fix the mapping",
  };
}
