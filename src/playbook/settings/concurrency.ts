import type { Expression } from "../../expression/expression.ts";
import { child, type SourceNode } from "../../source/node.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import type { CheckContext, ExpressionScope, NameFinding } from "../check-context.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { CONCURRENCY } from "../keywords/playbook.ts";
import type { Concurrency, IncludeStep, Playbook } from "../model.ts";
import { checkPlaces } from "../steps/call-rules.ts";
import type { Surroundings } from "../expressions/expression-scope.ts";
import { expressionsIn } from "../expressions/template.ts";
import { includesOf } from "../playbook-walk.ts";

/** Checks and compiles `concurrency`. */
export function readConcurrency(
  node: SourceNode | undefined,
  context: CheckContext,
  around: Surroundings,
): Concurrency | undefined {
  const { group, overlap, timeout, ...rest } = fieldsOf(node, CONCURRENCY);
  allRead(rest);
  if (node?.kind !== "map" || group === undefined) return undefined;
  checkPlaces(node, CONCURRENCY, context);
  return {
    group: compileTemplate(group, { type: "string" }, context, beforeRun(around)),
    waitMs: overlap === "wait" ? timeout : undefined,
    line: context.file.lineOf(node.range.start),
  };
}

// The names that are known before anything runs.
const EARLY: ReadonlySet<string> = new Set(["inputs", "env"]);

function beforeRun({ outside, types }: Surroundings): ExpressionScope {
  return {
    types: types.within([]),
    names: (expression) => notEarly(expression) ?? outside.check(expression, { own: undefined, items: [] }),
  };
}

function notEarly({ references }: Expression): NameFinding | undefined {
  const late = references.find(({ root }) => !EARLY.has(root));
  if (late === undefined) return undefined;
  const message = `a group is named before anything has run, and cannot use ${late.root}`;
  return {
    finding: { code: "playbook.group-late", message, suggestion: "use inputs and env" },
    start: late.start,
    end: late.end,
  };
}

/** Returns the inputs of a playbook that occur in the names of its groups, or of the groups of playbooks that it includes. */
export function inputsOfGroups(playbook: Playbook): ReadonlySet<string> {
  const own = playbook.concurrency === undefined ? [] : [...expressionsIn(playbook.concurrency.group)];
  const passed = includesOf(playbook).flatMap((step) => inputsForGroups(step).flatMap(([, expressions]) => expressions));
  const known = playbook.inputs.map(({ name }) => name);
  return new Set([...own, ...passed].flatMap((expression) => inputsIn(expression, known)));
}

// An expression that names no field may use any of them.
function inputsIn({ references }: Expression, known: readonly string[]): readonly string[] {
  return references.flatMap(({ root, path: [name] }) => (root !== "inputs" ? [] : name === undefined ? known : [name]));
}

// The expressions for those inputs of an included playbook that occur in the names of its groups, by input.
function inputsForGroups({
  playbook,
  inputs,
}: Pick<IncludeStep, "playbook" | "inputs">): readonly (readonly [string, readonly Expression[]])[] {
  const wanted = inputsOfGroups(playbook);
  return [...inputs].flatMap(([name, template]) => (wanted.has(name) ? [[name, [...expressionsIn(template)]] as const] : []));
}

/** Checks that the names of an included playbook's groups are known before the run. */
export function checkGroupsOf(
  step: Pick<IncludeStep, "playbook" | "inputs">,
  given: SourceNode | undefined,
  context: CheckContext,
): void {
  for (const [name, expressions] of inputsForGroups(step)) {
    const node = child(given, name);
    const late = expressions.flatMap(({ references }) => references).find(({ root }) => !EARLY.has(root));
    if (late === undefined || node === undefined) continue;
    context.report(
      {
        code: "playbook.group-late",
        message: `"${name}" names a group of ${step.playbook.file}, before anything has run, and cannot use ${late.root}`,
        suggestion: "give it from inputs and env, or name the group by another input",
      },
      node.range,
    );
  }
}
