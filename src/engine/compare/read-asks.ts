// What the reads of a comparison request, from where and as whom. A later run recognizes the same reads by these texts (decision 193).
import { posix } from "node:path";
import { type Json, writeJson } from "../../base/json/json.ts";
import { type Expression, ifKnown, type Scope } from "../../expression/expression.ts";
import type { Conserve, OutsideSource, SideRead, Step } from "../../playbook/model.ts";
import { operationNamed } from "../../operations/operation.ts";
import { parseAddress, roundOf, type StepAddress } from "../../protocol/address.ts";
import type { RunState, StepState } from "../../protocol/state.ts";
import type { Service } from "../../services/services.ts";
import type { Place } from "../run/plan-steps.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { bindCall, bindIn } from "../service/bind-call.ts";
import { type Caller, callerOf, recordedAs } from "../service/caller.ts";
import type { OutsideReading } from "./outside-read.ts";
import { pathTo, playbookIn } from "./step-path.ts";

/** Returns what a read of the service requests; nothing where its input has no value, because then the read fails. */
export function asksOfService(context: ReadingContext, scope: Scope, read: SideRead): readonly string[] {
  return ifKnown(() => {
    const { input, caller } = bindIn(context, scope, read);
    return [writeJson([read.operation.name, input, ...named(read.operation.service, caller)])];
  }, []);
}

/** Returns what the read of a conserved quantity requests: one text for each caller, so that adding a caller leaves the other texts unchanged. */
export function asksOfConserved(id: string, { of, as, conserved }: Conserve, scope: Scope): readonly string[] {
  const callers = as.length === 0 ? [undefined] : as;
  const { service } = operationNamed(conserved.reads[0]);
  return ifKnown(() => callers.map((use) => writeJson([of, id, ...named(service, callerOf(use, scope))])), []);
}

/** Returns where a list comes from: its expression, and what each step that it names requested, in each of its rounds. */
export function asksOfList(context: ReadingContext, { frame }: Place, rows: Expression): readonly string[] {
  const list = rows.text.trim();
  const steps = stepsNamedIn(rows, context.state, frame).filter(({ completed }) => completed?.outcome !== "skipped");
  return [
    writeJson([list, []]),
    ...steps.map(({ address, completed }) => writeJson([list, completed?.as ?? null, ...askedAt(context, address)])),
  ];
}

// The name of what a step calls or includes, and its input. No later run repeats the reads of a step that an edit has removed.
function askedAt(context: ReadingContext, address: string): readonly Json[] {
  const { frame, id, keys } = parseAddress(address);
  const path = pathTo(playbookIn(context.playbook, frame)?.steps ?? [], id);
  const step = path.at(-1);
  if (step?.kind === "include") return [step.uses, context.state.steps.get(address)?.begun?.inputs ?? null];
  if (step?.kind !== "call") return [address];
  const rounds = roundsAt(context.state, path, { frame, keys });
  const input = ifKnown(() => bindCall(context, { frame, rounds }, step).input, null);
  return [step.operation.name, input];
}

function roundsAt(
  { expansions }: RunState,
  path: readonly Step[],
  { frame, keys }: Pick<StepAddress, "frame" | "keys">,
): Place["rounds"] {
  const loops = path.filter(({ foreach }) => foreach !== undefined);
  return loops.flatMap((owner, at) => {
    const expansion = keys.slice(0, at).reduce(roundOf, frame + owner.id);
    const [key = "", index = -1] = [keys[at], expansions.get(expansion)?.rounds.findIndex((round) => round.key === keys[at])];
    return index < 0 ? [] : [{ owner, expansion, index, key }];
  });
}

/** Returns the steps that an expression in a frame names, each in all of its rounds. */
export function stepsNamedIn(
  { references }: Expression,
  { steps }: RunState,
  frame: string,
): readonly (Pick<StepState, "completed"> & { readonly address: string })[] {
  const ids = new Set(references.flatMap(({ root, path: [id = ""] }) => (root === "steps" ? [id] : [])));
  return [...steps].flatMap(([address, { completed }]) => {
    const { frame: itsFrame, id } = parseAddress(address);
    return itsFrame === frame && ids.has(id) ? [{ address, completed }] : [];
  });
}

/** Returns which rows outside the service are read. The password of an address is left out, since it may change at any time. */
export function asksOfOutside({ ports, state }: OutsideContext, { place, file }: OutsideSource): readonly string[] {
  const query = "query" in place ? place.query : "";
  const where =
    "path" in place
      ? posix.join(state.opened?.folder ?? ".", place.path)
      : withoutPassword(ports.secrets.named(file, place.address).reveal());
  return [writeJson([place.kind, where, query])];
}

/** A run that can read rows from outside the service. */
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
