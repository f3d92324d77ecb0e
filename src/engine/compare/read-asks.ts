// What the reads of a comparison ask for, where and by whom, as texts by which a later run knows the same reads (decision 193).
import { posix } from "node:path";
import { writeJson } from "../../base/json/json.ts";
import { type Expression, ifKnown, type Scope } from "../../expression/expression.ts";
import type { Conserve, OutsideSource, SideRead } from "../../playbook/model.ts";
import { operationNamed } from "../../operations/operation.ts";
import { parseAddress } from "../../protocol/address.ts";
import type { RunState, StepState } from "../../protocol/state.ts";
import type { Service } from "../../services/services.ts";
import type { Place } from "../run/plan-steps.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { bindIn } from "../service/bind-call.ts";
import { type Caller, callerOf, recordedAs } from "../service/caller.ts";
import type { OutsideReading } from "./outside-read.ts";

/** Returns what a read of the service asks for; nothing where its input has no value, so that it fails. */
export function asksOfService(context: ReadingContext, scope: Scope, read: SideRead): readonly string[] {
  return ifKnown(() => {
    const { input, caller } = bindIn(context, scope, read);
    return [writeJson([read.operation.name, input, ...named(read.operation.service, caller)])];
  }, []);
}

/** Returns what the read of a conserved quantity asks for: one text for each caller, because one more caller still reads what the others do. */
export function asksOfConserved(id: string, { of, as, conserved }: Conserve, scope: Scope): readonly string[] {
  const callers = as.length === 0 ? [undefined] : as;
  const { service } = operationNamed(conserved.reads[0]);
  return ifKnown(() => callers.map((use) => writeJson([of, id, ...named(service, callerOf(use, scope))])), []);
}

/** Returns where a list comes from: its expression, and who read the steps that it names. */
export function asksOfList({ state }: ReadingContext, { frame }: Place, rows: Expression): readonly string[] {
  const readers = stepsNamedIn(rows, state, frame).map(({ id, completed }) => writeJson([id, completed?.as ?? null]));
  return [writeJson([rows.text.trim(), readers.toSorted()])];
}

/** Returns the steps that an expression in a frame names, in each of their rounds. */
export function stepsNamedIn(
  { references }: Expression,
  { steps }: RunState,
  frame: string,
): readonly (Pick<StepState, "completed"> & { readonly id: string })[] {
  const ids = new Set(references.flatMap(({ root, path: [id = ""] }) => (root === "steps" ? [id] : [])));
  return [...steps].flatMap(([address, { completed }]) => {
    const { frame: itsFrame, id } = parseAddress(address);
    return itsFrame === frame && ids.has(id) ? [{ id, completed }] : [];
  });
}

/** Returns which rows outside of the service are read. The password of an address is left out: it may be changed at any time. */
export function asksOfOutside({ ports, state }: OutsideContext, { place, file }: OutsideSource): readonly string[] {
  const query = "query" in place ? place.query : "";
  const where =
    "path" in place
      ? posix.join(state.opened?.folder ?? ".", place.path)
      : withoutPassword(ports.secrets.named(file, place.address).reveal());
  return [writeJson([place.kind, where, query])];
}

/** A run that can read from outside of the service. */
type OutsideContext = OutsideReading & Pick<ReadingContext, "state">;

function named(service: Service, caller: Caller): readonly (string | null)[] {
  return [recordedAs(service, caller), caller.label];
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.password = "";
  return url.href;
}
