import { CATALOGUE, type Code } from "../base/catalogue/catalogue.ts";
import { LIMITS } from "../base/limits.ts";
import { Recent } from "../base/recent.ts";
import { didYouMeanOr } from "../base/text/text.ts";
import type { CertainPart } from "../expression/certain/certain.ts";
import type { NoSuchValue } from "../expression/certain/enumerated.ts";
import { Expression, isProblem } from "../expression/expression.ts";
import type { NumberAsText } from "../expression/nominal.ts";
import { isThere, type MaybeAbsent } from "../expression/optional-fields.ts";
import type { ExpressionProblem } from "../expression/problem.ts";
import type { Assumption, Reference } from "../expression/reference.ts";
import type { Typed, TypeEnvironment } from "../expression/types.ts";
import type { Diagnostic, Finding } from "../source/diagnostic.ts";
import type { Range, ScalarNode } from "../source/node.ts";
import type { PlacedFinding } from "../source/problems.ts";
import type { SourceFile } from "../source/file.ts";
import type { FileReader } from "./playbook-files.ts";
import { dateFinding, InputKinds, mixedFinding } from "./types/id-kinds.ts";
import { misspeltAttribute } from "./steps/misspelt-attribute.ts";
import { Usage } from "./types/name-usage.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** An expression that passed its checks, with its type and the kind of its id. */
export interface Checked extends Pick<Typed, "type" | "id"> {
  /** The parsed expression. */
  readonly expression: Expression;
}

/** Receives every expression before it is checked, for editors. `scope` is valid only until the next call. */
export type Listener = (found: FoundExpression) => void;

/** An expression with its names and types, and its place in the file. */
export interface FoundExpression {
  /** The text of the expression, without `${{` and `}}`. */
  readonly text: string;
  /** The names and types for it, valid only until the next expression is found. */
  readonly scope: ExpressionScope;
  /** The offset in the file of a character of the text. */
  readonly offsetOf: (index: number) => number;
}

// Steps with the same expectation share one expression, in all playbooks of a process.
const expressions = new Recent((text) => Expression.parse(text));

function isAnswer({ root }: Reference): boolean {
  return root === "response";
}

/** Options of a check. */
export interface Manner {
  /** Receives every expression before it is checked. */
  readonly listener?: Listener;
  /** The codes that are not reported. */
  readonly forgiven?: ReadonlySet<Code>;
}

/** The reader for files that playbooks name, and the playbook that a person named. */
export interface NamedFiles {
  /** Reads the files that playbooks name; `undefined` in a check without files. */
  readonly files: FileReader | undefined;
  /** The playbook that a person named, which may include this one. */
  readonly named: string;
}

/** Collects the findings of a check, and checks expressions in their places. */
export class CheckContext {
  /** The file of the playbook that is checked. */
  readonly file: SourceFile;
  /** Reads the files that the playbook names. */
  readonly files: FileReader | undefined;
  /** The playbook that a person named, which may include this one. */
  readonly named: string;
  /** The kinds of ids that the inputs of the playbook must be. */
  readonly inputKinds: InputKinds = new InputKinds();
  /** Which names are used. */
  readonly usage: Usage = new Usage();
  readonly #manner: Manner;
  readonly #found = new Map<string, PlacedFinding>();

  constructor(file: SourceFile, { files, named }: NamedFiles = { files: undefined, named: file.path }, manner: Manner = {}) {
    this.file = file;
    this.files = files;
    this.named = named;
    this.#manner = manner;
  }

  /** Returns whether any finding prevents the playbook from running. */
  get failed(): boolean {
    return [...this.#found.values()].some(({ finding }) => CATALOGUE[finding.code].severity === "error");
  }

  /** Returns the findings in reading order, bounded by `LIMITS.diagnostics`. Errors take precedence over warnings. */
  diagnostics(): readonly Diagnostic[] {
    const { errors = [], warnings = [] } = Object.groupBy(this.#found.values(), ({ finding }) =>
      CATALOGUE[finding.code].severity === "error" ? "errors" : "warnings",
    );
    const shown = [...inOrder(errors), ...inOrder(warnings)].slice(0, LIMITS.diagnostics);
    return inOrder(shown).map(({ finding, range }) => this.file.diagnose(finding, range));
  }

  /** Reports a finding. The same finding at the same place counts once, because each step that uses a wrong default repeats it. */
  report(finding: Finding, range: Range): undefined {
    if (this.#forgives(finding)) return undefined;
    this.#found.set(`${range.start} ${finding.code} ${finding.message}`, { finding, range });
    return undefined;
  }

  /**
   * Checks the expression that begins `from` characters into a scalar. `names` checks its names before its types. If the expression is
   * wrong, reports this and returns `undefined`.
   */
  expression(text: string, node: ScalarNode, from: number, scope: ExpressionScope): Checked | undefined {
    const place = (start: number, end: number): Range => ({ start: node.offsetOf(from + start), end: node.offsetOf(from + end) });
    this.usage.noteText(node);
    this.#manner.listener?.({ text, scope, offsetOf: (index) => node.offsetOf(from + index) });
    const parsed = expressions.of(text);
    if (isProblem(parsed)) return this.#problem(parsed, place);
    this.usage.note(parsed);
    const wrongName = scope.names(parsed);
    if (wrongName !== undefined && !this.#forgives(wrongName.finding)) {
      this.report(wrongName.finding, place(wrongName.start, wrongName.end));
      if (CATALOGUE[wrongName.finding.code].severity === "error") return undefined;
    }
    const typed = (scope.answer !== undefined && parsed.references.every(isAnswer) ? scope.answer : scope.types).read(text);
    if ("code" in typed) return this.#problem(typed, place);
    // Earlier versions accepted such a field.
    if (typed.fieldOfEach !== undefined && !this.isForBegunRun) return this.#problem(typed.fieldOfEach, place);
    const { type, id, mixed, dateAsText, numberAsText, noSuchValue, certain, misspelt, maybeAbsent } = typed;
    if (dateAsText !== undefined) this.report(dateFinding(dateAsText), place(dateAsText.start, dateAsText.end));
    if (numberAsText !== undefined) this.report(orderFinding(numberAsText), place(numberAsText.start, numberAsText.end));
    if (noSuchValue !== undefined) this.report(noSuchValueFinding(noSuchValue), place(noSuchValue.start, noSuchValue.end));
    else if (certain !== undefined) this.report(certainFinding(certain), place(certain.start, certain.end));
    if (mixed !== undefined && scope.fails !== true) this.report(mixedFinding(mixed), place(mixed.start, mixed.end));
    for (const each of maybeAbsent)
      if (!isThere(each.path, scope.under ?? [])) this.report(absentFinding(each), place(each.start, each.end));
    for (const each of misspelt) this.report(misspeltAttribute(each), place(each.start, each.end));
    return { expression: parsed, type, id };
  }

  /** Whether the check accepts what earlier versions accepted, for a run that has begun. */
  get isForBegunRun(): boolean {
    return this.#manner.forgiven !== undefined;
  }

  #forgives({ code }: Finding): boolean {
    return this.#manner.forgiven?.has(code) === true;
  }

  #problem(problem: ExpressionProblem, place: (start: number, end: number) => Range): undefined {
    const { code, message, suggestion } = problem;
    return this.report({ code, message, suggestion }, place(problem.start, problem.end));
  }
}

function orderFinding({ text, numeral }: NumberAsText): Finding {
  return {
    code: "expression.number-as-text",
    message: `"${numeral}" is a text here, and texts are put in order letter by letter`,
    why: '"9" comes after "100"',
    suggestion: `write numbers: decimal(${text}) and ${numeral}; for a date, date(…) around both sides`,
  };
}

function noSuchValueFinding({ text, value, values, inVain }: NoSuchValue): Finding {
  return {
    code: inVain ? "expression.no-such-value" : "playbook.constant-condition",
    message: `${text} is never ${JSON.stringify(value)}`,
    suggestion: didYouMeanOr(value, values, `it is one of: ${values.join(", ")}`),
  };
}

function certainFinding({ text, holds, why }: CertainPart): Finding {
  const message = `${text} is ${holds ? "always" : "never"} true, whatever the service answers`;
  return { code: "playbook.constant-condition", message, why, suggestion: "compare it with something that it may not be" };
}

function absentFinding({ owner, field }: MaybeAbsent): Finding {
  return {
    code: "playbook.maybe-absent",
    message: `${owner.trim()} may have no "${field}": the field is not required`,
    suggestion: `write ${owner.trim()}.?${field}.orValue(…), check first with has(…), or add "${field}" to required`,
  };
}

function inOrder(found: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return found.toSorted((a, b) => a.range.start - b.range.start);
}

/** The names and types for expressions at one place of the playbook. */
export interface ExpressionScope {
  /** The types of the names that may be used there. */
  readonly types: TypeEnvironment;
  /** The types for expressions that use only the answer, which are the same in all playbooks. */
  readonly answer?: TypeEnvironment | undefined;
  /** Returns what is wrong with a name in an expression; `undefined` if nothing is wrong. */
  readonly names: (expression: Expression) => NameFinding | undefined;
  /** Whether the service is expected to refuse the call. */
  readonly fails?: boolean | undefined;
  /** The conditions that hold around the place. */
  readonly under?: readonly Assumption[] | undefined;
  /** Whether a condition may prevent the place from being reached. */
  readonly maybe?: boolean | undefined;
  /** The kinds of things that are created here. */
  readonly makes?: ReadonlySet<string>;
}

/** What is wrong with a name in an expression, and its place in the text. */
export interface NameFinding extends Stretch {
  /** What is wrong. */
  readonly finding: Finding;
}
