import { Decimal } from "../../base/numbers/decimal.ts";
import { type Json, type JsonObject, writeJson } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { nodeAt } from "../../source/node.ts";
import {
  actorPlace,
  areApart,
  type CertainCall,
  type CertainPlaybook,
  entityWords,
  fieldOf,
  itemsOf,
  lastingSpelling,
} from "./certain-calls.ts";
import type { CheckContext } from "../check-context.ts";
import type { Template } from "../expressions/template.ts";

/** A request that the playbook creates, with everybody who may vote on it. */
interface MadeRequest {
  readonly call: CertainCall;
  readonly approvers: readonly Json[];
}

/** Reports requests that can never be approved, and votes by actors who have no vote. */
export function checkRequests(playbook: CertainPlaybook, context: CheckContext): void {
  const made = new Map<string, MadeRequest>();
  for (const call of playbook.calls) {
    const { step } = call;
    const { asksApprovers, votes } = step.operation.meaning;
    if (asksApprovers === true) {
      const approvers = checkQuorum(playbook, call, context);
      if (approvers !== undefined && step.foreach === undefined) made.set(`steps.${step.id}.id`, { call, approvers });
    } else {
      const voters = votes === true ? playbook.actors(step) : undefined;
      if (voters !== undefined) checkVote(call, voters, { made, context });
    }
  }
}

// Returns the approvers of the only request of a call, if they are known.
function checkQuorum(playbook: CertainPlaybook, call: CertainCall, context: CheckContext): readonly Json[] | undefined {
  let only: readonly Json[] | undefined;
  for (const { input, node, alone } of itemsOf(call)) {
    const template = fieldOf(input, "approvers");
    const approvers = playbook.value(template);
    const known = Array.isArray(approvers) ? (approvers as readonly Json[]) : undefined;
    only = alone ? known : undefined;
    const needed = playbook.value(fieldOf(input, "numRequired"));
    const different = known === undefined ? sizeOf(template) : new Set(known.map((each) => writeJson(each))).size;
    if (different === undefined || !(needed instanceof Decimal) || needed.compare(Decimal.of(different)) <= 0) continue;
    context.report(
      {
        code: "playbook.no-quorum",
        message: `${needed.text} must approve, and there ${different === 1 ? "is" : "are"} only ${count(different, "approver")}`,
        why: "an approver counts once, however often they are named or vote",
        suggestion: "name more approvers, or require fewer",
      },
      nodeAt(node, ["numRequired"]).range,
    );
  }
  return only;
}

// Returns the largest possible number of approvers of a request: those that are written.
function sizeOf(template: Template | undefined): number | undefined {
  return template?.kind === "list" ? template.items.length : undefined;
}

interface Votes {
  readonly made: ReadonlyMap<string, MadeRequest>;
  readonly context: CheckContext;
}

function checkVote(call: CertainCall, voters: readonly JsonObject[], { made, context }: Votes): void {
  for (const { input } of itemsOf(call)) {
    for (const id of idsIn(fieldOf(input, "id"))) {
      const request = made.get(lastingSpelling(id) ?? "");
      const stranger = voters.find((voter) => request?.approvers.every((approver) => areApart(approver, voter)) === true);
      if (request === undefined || stranger === undefined) continue;
      const { id: step, line } = request.call.step;
      context.report(
        {
          code: "playbook.no-vote",
          message: `${entityWords(stranger)} has no vote on the request of the step "${step}" (line ${line})`,
          why: `its approvers are: ${request.approvers.map(entityWords).join(", ")}`,
          suggestion: "let one of its approvers act with as:, or name them among the approvers",
        },
        actorPlace(call),
      );
    }
  }
}

function idsIn(template: Template | undefined): readonly Template[] {
  if (template === undefined) return [];
  return template.kind === "list" ? template.items : [template];
}
