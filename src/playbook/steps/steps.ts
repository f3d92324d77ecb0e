import { retryOf } from "./side-reads.ts";
import { readCall } from "./call-step.ts";
import { readHead } from "./step-head.ts";
import { readInclude } from "./include-step.ts";
import type { BlockStep, Step } from "../model.ts";
import { type BlockPart, type Outline, sectionOf } from "../outline.ts";
import { checkFields } from "./call-rules.ts";
import { type Spot, type Surroundings, within } from "../expressions/expression-scope.ts";
import { writesOf } from "../playbook-walk.ts";
import { readLoop } from "../predictions/warnings.ts";
import { startOf } from "../../source/node.ts";

/** Checks and compiles steps in order. Each step may use the earlier ones. */
export function readSteps(outlines: readonly Outline[], spot: Spot, around: Surroundings): readonly Step[] {
  const steps: Step[] = [];
  for (const outline of outlines) {
    const step = readLoop(outline.node, around.context, () => readStep(outline, spot, around));
    spot.done.add(outline.id);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

function readStep(outline: Outline, spot: Spot, around: Surroundings): Step | undefined {
  if (outline.kind === "block") return readBlock(outline, spot, around);
  if (outline.kind === "include") return readInclude(outline, spot, around);
  if (outline.fields.uses === undefined) {
    return around.context.report(
      {
        code: "playbook.no-work",
        message: "this step does nothing: it has neither `uses` nor a `block`",
        suggestion: "uses: an operation such as ledger.token.get, or the path of a playbook",
      },
      startOf(outline.node),
    );
  }
  return readCall(outline, spot, around);
}

function readBlock(outline: Outline, spot: Spot, around: Surroundings): BlockStep | undefined {
  const { node, fields, parts } = outline;
  const { context } = around;
  checkFields(node, "block", context);
  if (fields.block === undefined) {
    const [part = "rescue", entry] = [...node.entries].find(([field]) => field === "rescue" || field === "always") ?? [];
    const message = `\`${part}\` belongs to a block, and this step has none`;
    return context.report(
      { code: "playbook.not-here", message, suggestion: "put the steps under block:" },
      entry?.key ?? node.range,
    );
  }
  const { common, inside } = readHead(outline, outline.id, spot, around);
  const read = (part: BlockPart): readonly Step[] =>
    readSteps(parts[part], within(inside, outline, sectionOf(outline, part), around), around);
  const [steps, rescue, always] = [read("block"), read("rescue"), read("always")];
  const retry = retryOf(fields.retry);
  if (retry !== undefined) refuseRetriedWrites(steps, outline, around);
  return { kind: "block", ...common, steps, rescue, always, retry };
}

function refuseRetriedWrites(steps: readonly Step[], { node }: Outline, { context }: Surroundings): void {
  const [write] = writesOf(steps);
  const entry = node.entries.get("retry");
  if (write === undefined || entry === undefined) return;
  const { operation, chain } = write;
  context.report(
    {
      code: "playbook.write-repeated",
      message: `this block holds a write: ${chain.join(" → ")} is ${operation.name} (${operation.meaning.effect})`,
      suggestion: "put the reads that should be tried again in a block of their own",
    },
    entry.key,
  );
}
