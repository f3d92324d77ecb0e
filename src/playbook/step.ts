import type { Code } from "../base/catalogue/catalogue.ts";
import { parseDuration } from "../base/duration.ts";
import { LIMITS } from "../base/limits.ts";
import { didYouMean } from "../base/text.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { Expression, isCutOff, isProblem } from "../expression/expression.ts";
import { isTypeName, type TypeEnvironment } from "../expression/types.ts";
import type { Operation } from "../operations/operation.ts";
import { operations } from "../operations/operation.ts";
import { child, type MapNode, type Range, type ScalarNode, type SourceNode, textOf } from "../source/node.ts";
import { readUse } from "./acting.ts";
import { compileTemplate, holdsExpression, wholeExpression } from "./compile.ts";
import type { CheckContext, ExpressionScope } from "./context.ts";
import type { ActorDeclaration, ActorUse, Foreach, Step, Waiting } from "./model.ts";
import { type Done, outcomesAsked, type StepName, StepNames } from "./names.ts";
import type { Template } from "./template.ts";
import { responseType } from "./types.ts";
import { checkWith } from "./with.ts";

/** What all steps of one playbook are checked against. */
export interface StepSurroundings {
  readonly context: CheckContext;
  readonly types: TypeEnvironment;
  readonly names: ReadonlyMap<string, StepName>;
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  readonly defaultAs: SourceNode | undefined;
  readonly readOnly: boolean;
}

const RECEIPT_WAIT: Waiting = { timeoutMs: 60_000, everyMs: 25, backoff: 1.5, maxMs: 2_000 };
const UNTIL_WAIT: Waiting = { timeoutMs: 60_000, everyMs: 250, backoff: 1.5, maxMs: 5_000 };

const SHOWN_CHARS = 200;

/** Checks and compiles one step; `done` names the steps that have run by then. */
export function readStep(node: MapNode, name: StepName, done: Done, around: StepSurroundings): Step | undefined {
  const operation = operationOf(child(node, "uses"), around.context);
  if (operation === undefined) return undefined;
  return new StepReader({ node, name, operation }, done, around).read();
}

function operationOf(node: SourceNode | undefined, context: CheckContext): Operation | undefined {
  const name = textOf(node) ?? "";
  const operation = operations.get(name);
  if (operation !== undefined || node === undefined) return operation;
  const near = didYouMean(name, [...operations.keys()]);
  return context.report(
    {
      code: "playbook.unknown-operation",
      message: `there is no operation called "${name}"`,
      suggestion: near === undefined ? "`tokenbook operations` lists all 67" : `did you mean "${near}"?`,
    },
    node.range,
  );
}

class StepReader {
  readonly #node: MapNode;
  readonly #name: StepName;
  readonly #operation: Operation;
  readonly #done: Done;
  readonly #around: StepSurroundings;

  constructor(
    step: { readonly node: MapNode; readonly name: StepName; readonly operation: Operation },
    done: Done,
    around: StepSurroundings,
  ) {
    this.#node = step.node;
    this.#name = step.name;
    this.#operation = step.operation;
    this.#done = done;
    this.#around = around;
  }

  read(): Step {
    const before = this.#scope(this.#done, new Set(), this.#around.types);
    const condition = this.#bare("if", before);
    const guarded = outcomesAsked(condition);
    const opened = this.#foreach(this.#scope(this.#done, guarded, this.#around.types));
    const inside = this.#scope(this.#done, guarded, opened.types);
    const own: Done = { has: (id) => this.#done.has(id) || (opened.foreach === undefined && id === this.#name.id) };
    const response = responseType(this.#around.types, this.#operation);
    const after = this.#scope(
      own,
      new Set([...guarded, this.#name.id]),
      this.#hasConditions() ? opened.types.with({ response }) : opened.types,
    );
    this.#checkRules();
    return {
      id: this.#name.id,
      name: textOf(child(this.#node, "name")) ?? this.#operation.call.summary,
      line: this.#name.line,
      operation: this.#operation,
      with: this.#with(inside),
      as: this.#as(inside),
      if: condition,
      foreach: opened.foreach,
      expect: this.#expectations(after),
      until: this.#operation.writes ? undefined : this.#bare("until", after),
      onTimeout: textOf(child(this.#node, "on_timeout")) === "pending" ? "pending" : "fail",
      wait: this.#wait(),
      fails: textOf(child(child(this.#node, "fails"), "condition")),
      pages: this.#pages(),
    };
  }

  #hasConditions(): boolean {
    return this.#node.entries.has("expect") || this.#node.entries.has("until");
  }

  #scope(done: Done, guarded: ReadonlySet<string>, types: TypeEnvironment): ExpressionScope {
    const names = new StepNames(this.#around.names, done, guarded, this.#name.id);
    return { types, names: (expression) => names.check(expression) };
  }

  #with(scope: ExpressionScope): Template {
    const node = child(this.#node, "with") ?? { kind: "map", entries: new Map(), range: this.#range("uses") };
    const schema: JsonSchema = checkWith(node, this.#operation, this.#around.context);
    return compileTemplate(node, schema, this.#around.context, scope);
  }

  #as(scope: ExpressionScope): ActorUse | undefined {
    const own = child(this.#node, "as");
    const use = own?.range ?? this.#range("uses");
    return readUse(own ?? this.#around.defaultAs, {
      context: this.#around.context,
      actors: this.#around.actors,
      operation: this.#operation,
      scope,
      place: own?.range ?? this.#around.defaultAs?.range ?? use,
      use,
    });
  }

  #foreach(scope: ExpressionScope): { foreach: Foreach | undefined; types: TypeEnvironment } {
    const node = child(this.#node, "foreach");
    if (node?.kind !== "map") return { foreach: undefined, types: scope.types };
    const [variable, entry] = [...node.entries].find(([name]) => name !== "key") ?? [];
    if (variable === undefined || entry === undefined) return { foreach: undefined, types: scope.types };
    if (!this.#canName(variable)) {
      this.#around.context.report(
        {
          code: "playbook.loop-name",
          message: `an item of a foreach cannot be called "${variable}"`,
          suggestion: "take a word of letters, digits and _ that means nothing else here, such as item",
        },
        entry.key,
      );
      return { foreach: undefined, types: scope.types };
    }
    const listType = this.#listType(entry.value, scope);
    const types = scope.types.with({ [variable]: /^list<(.*)>$/.exec(listType)?.[1] ?? "dyn" });
    this.#refusePlainList(entry.value);
    const list = compileTemplate(entry.value, { type: "array" }, this.#around.context, scope);
    const keyNode = child(node, "key");
    const key = keyNode?.kind === "scalar" ? this.#checkBare(keyNode, { ...scope, types }, undefined) : undefined;
    return { foreach: key === undefined ? undefined : { variable, list, key }, types };
  }

  // A word that is a name and as yet means nothing: neither one of ours, nor one of CEL's types such as `list`.
  #canName(variable: string): boolean {
    const parsed = Expression.parse(variable);
    const meaning = this.#around.types.check(variable);
    const isName = !isProblem(parsed) && parsed.references[0]?.root === variable;
    return isName && variable !== "response" && !isTypeName(meaning) && meaning.code === "expression.unknown-name";
  }

  #refusePlainList(node: SourceNode): void {
    const text = textOf(node);
    if (text === undefined || holdsExpression(text)) return;
    this.#around.context.report(
      {
        code: "expression.wrong-type",
        message: "this is text; here a list belongs",
        suggestion: `for an expression write: "\${{ ${text.slice(0, SHOWN_CHARS)} }}"`,
      },
      node.range,
    );
  }

  // Only to give the loop's name a type: the list itself is checked, and its problems reported, as a template.
  #listType(node: SourceNode, scope: ExpressionScope): string {
    const whole = wholeExpression(textOf(node) ?? "");
    const type = whole === undefined ? "dyn" : scope.types.check(whole.text);
    return typeof type === "string" ? type : "dyn";
  }

  #expectations(scope: ExpressionScope): readonly Expression[] {
    const node = child(this.#node, "expect");
    const scalars = node?.kind === "list" ? this.#uncut(node.items) : node === undefined ? [] : [node];
    return scalars.flatMap((item) => {
      const expression = item.kind === "scalar" ? this.#checkBare(item, scope, "bool") : undefined;
      return expression === undefined ? [] : [expression];
    });
  }

  // In [a, b] YAML splits at each comma, also at one inside an expression: what follows such a half is no item of its own.
  #uncut(items: readonly SourceNode[]): readonly SourceNode[] {
    const cut = items.findIndex((item) => isCutOff(textOf(item) ?? ""));
    const node = items[cut];
    if (node === undefined || cut === items.length - 1) return items;
    this.#around.context.report(
      {
        code: "expression.cut-off",
        message: "YAML has split this expression at the comma",
        suggestion: "quote the whole expression, or write the list one item a line",
      },
      node.range,
    );
    return items.slice(0, cut);
  }

  #bare(field: "if" | "until", scope: ExpressionScope): Expression | undefined {
    const node = child(this.#node, field);
    return node?.kind === "scalar" ? this.#checkBare(node, scope, "bool") : undefined;
  }

  #checkBare(node: ScalarNode, scope: ExpressionScope, wanted: "bool" | undefined): Expression | undefined {
    const text = String(node.value);
    const { context } = this.#around;
    if (holdsExpression(text)) {
      return context.report(
        {
          code: "expression.not-bare",
          message: "an expression stands here by itself, without ${{ }}",
          suggestion: `write: ${text
            .replaceAll(/\$\{\{ ?| ?\}\}/g, "")
            .trim()
            .slice(0, SHOWN_CHARS)}`,
        },
        node.range,
      );
    }
    const checked = context.expression(text, node, 0, scope);
    if (checked !== undefined && wanted === "bool" && checked.type !== "bool" && checked.type !== "dyn") {
      return context.report(
        { code: "expression.wrong-type", message: `this must be true or false, and is ${checked.type}` },
        node.range,
      );
    }
    return checked?.expression;
  }

  #wait(): Waiting | undefined {
    const node = child(this.#node, "wait");
    if (textOf(node) === "none") return undefined;
    const defaults = this.#operation.writes ? RECEIPT_WAIT : UNTIL_WAIT;
    const timeout = duration(child(this.#node, "timeout")) ?? duration(child(node, "timeout"));
    const everyMs = duration(child(node, "every")) ?? defaults.everyMs;
    const backoff = child(node, "backoff");
    return {
      timeoutMs: timeout ?? defaults.timeoutMs,
      everyMs,
      backoff: backoff?.kind === "scalar" ? Number(backoff.value) : defaults.backoff,
      maxMs: duration(child(node, "max")) ?? Math.max(defaults.maxMs, everyMs),
    };
  }

  #pages(): number {
    const node = child(this.#node, "pages");
    if (node?.kind !== "scalar" || node.value === "all") return LIMITS.pages;
    return node.value === "first" ? 1 : Number(node.value);
  }

  #checkRules(): void {
    const { writes, name, call } = this.#operation;
    const has = (field: string): boolean => this.#node.entries.has(field);
    const report = (code: Code, field: string, message: string, suggestion?: string): void => {
      this.#around.context.report({ code, message, suggestion }, this.#key(field));
    };
    const refuse = report.bind(undefined, "playbook.not-here");
    if (writes && this.#around.readOnly)
      report("playbook.read-only", "uses", `${name} writes, and this playbook is mode: read-only`);
    if (writes && has("until"))
      report(
        "playbook.write-repeated",
        "until",
        `${name} is a write (${this.#operation.meaning.effect}); only a read is repeated`,
        "read back with a step of its own, and repeat that",
      );
    if (has("timeout") && !has("until"))
      refuse(
        "timeout",
        "timeout says how long to repeat for `until`, and there is no until",
        "for a receipt write wait: { timeout: … }",
      );
    if (has("on_timeout") && !has("until")) refuse("on_timeout", "on_timeout belongs to until");
    if (has("pages") && call.paging === undefined) refuse("pages", `${name} is not a paged list`);
    if (has("fails") && has("expect")) refuse("expect", "a step that fails has no response to expect anything of");
    if (has("fails") && has("until")) refuse("until", "a step that fails has no response to wait for");
    if (has("wait") && !writes && !has("until")) refuse("wait", "a read waits only for its until");
  }

  #key(field: string): Range {
    const entry = this.#node.entries.get(field);
    return field === "uses" ? (entry?.value.range ?? this.#node.range) : (entry?.key ?? this.#node.range);
  }

  #range(field: string): Range {
    return this.#node.entries.get(field)?.value.range ?? this.#node.range;
  }
}

function duration(node: SourceNode | undefined): number | undefined {
  const text = textOf(node);
  return text === undefined ? undefined : parseDuration(text);
}
