import { isObject, type Json, parseJson } from "../../base/json/json.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import type { TranslationFindings, FindingPlace } from "../findings.ts";
import { type RuntimeExpression, readRuntime, splitEmbedded, withKeys } from "../expressions/runtime-expression.ts";
import { answerPlace, type CallTarget } from "../answer-place.ts";
import { Expr, celOf, Joined, listOf, mapOf, type WrittenValue, valueAt } from "../value.ts";
import { pathOf } from "../../schema/pointer.ts";

/** A parameter of a step with its value. */
export interface GivenParameter {
  /** The name of the parameter; empty if the document has none. */
  readonly name: string;
  /** Its place in the request, such as `query`; empty if the document has none. */
  readonly in: string;
  /** The value in the document. */
  readonly value: SourceNode;
  /** The item in the list of parameters, as the place of findings. */
  readonly node: SourceNode;
}

/** Returns the value of an input or an output. If there is none of this name, reports a finding and returns nothing. */
export type ValueOfName = (name: string, place: FindingPlace) => WrittenValue | undefined;

/** The outputs of a workflow, by name. */
export type Outputs = ReadonlyMap<string, WrittenValue>;

/** The names that the expressions of one workflow can use. */
export class WorkflowScope {
  /** The findings of the document's translation. */
  readonly findings: TranslationFindings;
  /** The outputs of the earlier steps, by `stepId`. */
  readonly steps: Map<string, ValueOfName> = new Map();
  readonly #input: ValueOfName;
  readonly #workflows: ReadonlyMap<string, Outputs>;

  /** `workflows` has the outputs of the workflows that were already translated. */
  constructor(findings: TranslationFindings, input: ValueOfName, workflows: ReadonlyMap<string, Outputs>) {
    this.findings = findings;
    this.#input = input;
    this.#workflows = workflows;
  }

  /** Returns the value of a runtime expression. `own` is the step whose answer `$response` refers to, and `owner` is the name of that answer. */
  resolve(text: string, place: FindingPlace, own?: CallTarget, owner?: string): WrittenValue | undefined {
    const runtime = readRuntime(text);
    if (runtime === undefined)
      return this.findings.refuse(
        place,
        "this begins with $ and is no runtime expression of Arazzo",
        "its value could not be found",
      );
    const value = this.#valueOf(runtime, place, own, owner);
    if (value === undefined || !("path" in runtime) || runtime.kind === "body") return value;
    return (
      valueAt(value, runtime.path) ??
      this.findings.refuse(place, `nothing is at "${text}"`, "the value that it names has no such part")
    );
  }

  #valueOf(runtime: RuntimeExpression, place: FindingPlace, own?: CallTarget, owner?: string): WrittenValue | undefined {
    switch (runtime.kind) {
      case "input":
        return this.#input(runtime.name, place);
      case "body":
        return own === undefined
          ? this.findings.refuse(
              place,
              "$response has no meaning here",
              "only the criteria and outputs of a step know its answer",
            )
          : this.answer(own, runtime.path, place, owner);
      case "step": {
        const outputOf = this.steps.get(runtime.step);
        if (outputOf === undefined) return this.#unknown(place, `no step "${runtime.step}" comes before this one`);
        return outputOf(runtime.name, place);
      }
      case "workflow": {
        const found = this.#workflows.get(runtime.workflow)?.get(runtime.name);
        return (
          found ?? this.#unknown(place, `the workflow "${runtime.workflow}" has no output "${runtime.name}" before this step`)
        );
      }
      case "status":
        return this.findings.refuse(place, "$statusCode is a value only in successCriteria", "a step passes or is refused");
      case "untranslatable":
        return this.findings.refuse(place, `${runtime.text} cannot be translated`, runtime.why);
    }
  }

  #unknown(place: FindingPlace, message: string): undefined {
    return this.findings.refuse(place, message, "a value can be used only after it is known");
  }

  /** Returns a part of the answer of a call. */
  answer(call: CallTarget, path: readonly string[], place: FindingPlace, owner = `steps.${call.id}`): WrittenValue | undefined {
    if (call.isRefused === true) {
      const why = "a playbook keeps the message of an expected refusal, and not its other fields";
      return this.findings.refuse(place, "this step passes only if it is refused, so its answer cannot be read", why);
    }
    return (
      answerPlace(call, path, owner) ??
      this.findings.refuse(place, `"${path[0]}" of a paged list cannot be read`, "a playbook reads the records of its pages")
    );
  }

  /** Returns the value of a node of a document. `own` is the step whose answer `$response` refers to. */
  value(node: SourceNode, own?: CallTarget): WrittenValue | undefined {
    if (node.kind === "list") return listOf(node.items.map((item) => this.value(item, own)));
    if (node.kind === "map" && isSelector(node)) return this.#selected(node, own);
    if (node.kind === "map") return mapOf(Array.from(node.entries, ([name, { value }]) => [name, this.value(value, own)]));
    return typeof node.value === "string" ? this.text(node.value, node, own) : node.value;
  }

  /** Returns the value of a body, even if the body is a text of JSON with expressions in its texts. */
  body(node: SourceNode): WrittenValue | undefined {
    const written = textOf(node)?.trim() ?? "";
    if (!/^[[{](?!\$)/.test(written)) return this.value(node);
    let body: Json;
    try {
      body = parseJson(written);
    } catch {
      return this.findings.refuse(node, "the body is a text, and no JSON", "tokenbook checks every field of it");
    }
    return this.#json(body, node);
  }

  #json(value: Json, place: FindingPlace): WrittenValue | undefined {
    if (Array.isArray(value)) return listOf(value.map((item: Json) => this.#json(item, place)));
    if (isObject(value)) return mapOf(Object.entries(value).map(([name, inner]) => [name, this.#json(inner, place)]));
    return typeof value === "string" ? this.text(value, place) : value;
  }

  /** Returns the value of a text: an expression, a text with expressions in it, or the text itself. */
  text(text: string, place: FindingPlace, own?: CallTarget): WrittenValue | undefined {
    if (text.startsWith("$")) return this.resolve(text, place, own);
    const parts = splitEmbedded(text);
    if (parts.every((part) => typeof part === "string")) return this.#literal(text, place);
    const values = listOf(
      parts.map((part) => (typeof part === "string" ? this.#literal(part, place) : this.resolve(part.text, place, own))),
    );
    return values === undefined ? undefined : joined(values);
  }

  #literal(text: string, place: FindingPlace): string | undefined {
    if (!text.includes("${{")) return text;
    return this.findings.refuse(place, 'the text holds "${{"', "a playbook would read an expression there");
  }

  // Reads a selector object of Arazzo 1.1.
  #selected(node: MapNode, own: CallTarget | undefined): WrittenValue | undefined {
    const context = child(node, "context") ?? node;
    const selector = textOf(child(node, "selector")) ?? "";
    const path = /^\$((?:\.[\w-]+|\[\d+\])*)$/.exec(selector)?.[1] ?? (selector.startsWith("/") ? selector : undefined);
    if (path === undefined)
      return this.findings.refuse(child(node, "selector") ?? node, `the selector "${selector}" cannot be translated`, SELECTS);
    const keys = path.startsWith("/") ? pathOf(path) : (path.match(/[\w-]+/g) ?? []);
    // The context and the selector together name one place, because a playbook has neither the envelope nor the paging fields of an answer.
    const text = textOf(context);
    if (text?.startsWith("$") === true) return this.resolve(withKeys(text, keys), context, own);
    const value = this.value(context, own);
    return value === undefined ? undefined : valueAt(value, keys);
  }
}

const SELECTS = "only a selector that names one value is translated: a JSON pointer, or a JSONPath of names and indexes";

function isSelector({ entries }: MapNode): boolean {
  return entries.has("context") && entries.has("selector") && entries.has("type");
}

function joined(values: readonly WrittenValue[]): WrittenValue {
  const parts = values.flatMap((value): readonly (string | Expr)[] => {
    if (value instanceof Joined) return value.parts;
    return [typeof value === "string" || value instanceof Expr ? value : celOf(value)];
  });
  return parts.every((part) => typeof part === "string") ? parts.join("") : new Joined(parts);
}
