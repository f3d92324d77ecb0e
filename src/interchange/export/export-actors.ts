import { readEntity } from "../../base/entity.ts";
import type { Identity, Playbook } from "../../playbook/model.ts";
import { hasEntities, services } from "../../services/services.ts";
import type { Known, Named } from "../expressions/evaluate.ts";
import type { ValueMap } from "../value.ts";
import { type ExportedInputs, ORGANIZATION } from "./export-inputs.ts";
import { parts, partsOf } from "./export-step.ts";

/** Returns the actors of a playbook. An actor that acts only by a key has no value that could be sent. */
export function actorsOf({ actors }: Playbook, inputs: ExportedInputs): Named {
  const known = Array.from(actors.values(), ({ name, group, identities }): readonly [string, Known] => {
    const entities = identities.flatMap((identity) => entityOf(identity, inputs) ?? []);
    const value = group ? entities : entities[0];
    return [name, value === undefined || entities.length < identities.length ? parts({}) : value];
  });
  return partsOf(known);
}

function entityOf(identity: Identity, { organization }: ExportedInputs): ValueMap | undefined {
  const text = services.filter(hasEntities).flatMap(({ name }) => identity[name] ?? [])[0];
  const entity = readEntity(text ?? "");
  return entity === undefined ? undefined : { [ORGANIZATION]: organization, [entity.attribute]: entity.value };
}
