import type { Code } from "../base/catalogue/catalogue.ts";
import type { TypeEnvironment, TypeName, Variable } from "../expression/types.ts";
import type { Operation } from "../operations/operation.ts";
import { SchemaSet } from "../schema/validator.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import { child, entriesIn, itemsIn, type MapNode, type SourceNode, startOf, textOf, toPlain } from "../source/node.ts";
import { meantField, placeEssential } from "../source/problems.ts";
import { parseUnshown } from "../source/unshown.ts";
import { compileTemplate } from "./expressions/compile-template.ts";
import { readChecks } from "./reconcile/checks.ts";
import { readReconcile } from "./reconcile/reconcile.ts";
import { readConcurrency } from "./settings/concurrency.ts";
import { CheckContext, type Listener, type Manner } from "./check-context.ts";
import { checkDefaultActor } from "./steps/actor-use.ts";
import { checkActorAttributes } from "./steps/entity-attributes.ts";
import { readActors } from "./steps/identity.ts";
import type { FileReader } from "./playbook-files.ts";
import { playbookFrame, stepFrame } from "./keywords/frame.ts";
import { readInputs } from "./inputs/input-declarations.ts";
import { includedAt } from "./steps/include-step.ts";
import { shownOf } from "./is-playbook.ts";
import { type CheckText, type CheckedPlaybook, type IncludedPlaybooks, Library } from "./included-playbooks.ts";
import type { Playbook, StepLoops } from "./model.ts";
import { type CutStep, ListsInPart, type OutputsInPart } from "./types/lists-in-part.ts";
import { StepNames } from "./types/step-names.ts";
import { allRead, fieldsOf, type Frame } from "./keywords/keyword.ts";
import { DOING, PLAYBOOK, type PlaybookFields } from "./keywords/playbook.ts";
import { operationIn } from "./steps/operation-name.ts";
import { type Outline, Outliner, BLOCK_PARTS } from "./outline.ts";
import {
  concealLiterals,
  KnownSecrets,
  OutsideNames,
  readSecrets,
  readVariables,
  withoutSecrets,
} from "./settings/secrets-and-variables.ts";
import { wholeExpression } from "./expressions/expression-spans.ts";
import { checkRefusals } from "./predictions/roles.ts";
import { readSchedule } from "./settings/schedule.ts";
import { firstSpot, scopeAt, type Spot, type Surroundings } from "./expressions/expression-scope.ts";
import { StepTypes } from "./types/step-types.ts";
import { readSteps } from "./steps/steps.ts";
import { sureFields } from "./types/sure-fields.ts";
import { expressionsIn, type Template } from "./expressions/template.ts";
import { expectsRefusal, visibleOutcomes } from "./types/outcomes.ts";
import {
  actorsType,
  blockType,
  contractTypes,
  includeType,
  inputsType,
  refusedType,
  responseType,
  runType,
  stepType,
  textsType,
} from "./types/value-types.ts";
import { reportUnread } from "./expressions/unread-expressions.ts";
import { warnOfUnused } from "./predictions/warnings.ts";

/** The result of a check: the playbook if nothing is wrong, and the findings. */
export interface CheckResult {
  /** The playbook; `undefined` if one of the findings is an error. */
  readonly playbook: Playbook | undefined;
  /** The types of its outputs in expressions. */
  readonly outputs: ReadonlyMap<string, TypeName>;
  /** Errors and warnings, in the order of their places. */
  readonly diagnostics: readonly Diagnostic[];
}

const frames = new SchemaSet();

/**
 * Checks the text of a playbook, and every playbook that it includes, without a network or an environment. It reads only files that they
 * name, through `files`. Never throws, whatever a text contains.
 */
export function checkPlaybook(path: string, text: string, files?: FileReader): CheckResult {
  const library = new Library(files, checkText);
  const { playbook, outputs, diagnostics } = checkText(path, text, library.includedBy([path]));
  const types = new Map(Array.from(outputs, ([name, { type }]) => [name, type] as const));
  return { playbook, outputs: types, diagnostics: [...diagnostics, ...library.diagnostics()] };
}

/**
 * Reads the text of a playbook with which a run has begun. It was checked then, so rules of later versions do not prevent reading it.
 * Returns `undefined` if it cannot be read at all.
 */
export function readBegun(path: string, text: string, files: FileReader): Playbook | undefined {
  return checkBegun(path, text, new Library(files, checkBegun).includedBy([path])).playbook;
}

const checkBegun: CheckText = (path, text, included) => checkText(path, text, included, { forgiven: LATER_RULES });

/** The errors that earlier versions did not report. */
const LATER_RULES: ReadonlySet<Code> = new Set<Code>([
  "expression.date-as-text",
  "expression.no-such-value",
  "playbook.entity-attribute",
  "playbook.id-twice",
  "playbook.key-twice",
  "playbook.misspelt-condition",
  "playbook.no-actor",
  "playbook.not-here",
  "playbook.secret-part",
  "playbook.unknown-actor",
]);

/**
 * Calls a listener with every expression of a playbook, in the order of a check. It skips faults of the frame, which would end a check,
 * because editors ask about unfinished documents.
 */
export function listenToCheck(path: string, text: string, files: FileReader, listener: Listener): void {
  checkText(path, text, new Library(files, checkText).includedBy([path]), { listener });
}

function checkText(path: string, text: string, included: IncludedPlaybooks, manner: Manner = {}): CheckedPlaybook {
  const checked = checkedText(path, text, included, manner);
  return { ...checked, diagnostics: shownOf(text, checked.diagnostics) };
}

function checkedText(path: string, text: string, included: IncludedPlaybooks, manner: Manner): CheckedPlaybook {
  const { listener } = manner;
  const { file, root, diagnostics } = parseUnshown(path, text);
  const context = new CheckContext(file, included, manner);
  const { inputKinds } = context;
  if (root === undefined) return { playbook: undefined, ...NO_OUTPUTS, inputKinds, diagnostics };
  concealLiterals(root, file);
  const framed = checkFrame(root, context) ?? (listener !== undefined && root.kind === "map" ? root : undefined);
  const read = framed === undefined ? undefined : new PlaybookReader(framed, context, included).read();
  const playbook = context.failed ? undefined : read?.playbook;
  const { outputs, inPart } = read ?? NO_OUTPUTS;
  return { playbook, outputs, inPart, inputKinds, diagnostics: context.diagnostics() };
}

type CheckedOutputs = Pick<CheckedPlaybook, "outputs" | "inPart">;
const NO_OUTPUTS: CheckedOutputs = { outputs: new Map(), inPart: new Map() };

function checkFrame(root: SourceNode, context: CheckContext): MapNode | undefined {
  checkAgainst(playbookFrame, root, context);
  if (root.kind === "map" && ![...root.entries.keys()].some((field) => meantField(field, DOING) !== undefined))
    context.report(
      {
        code: "schema.missing-field",
        message: "a playbook needs `steps`, `reconcile` or `checks`",
        why: "this one would do nothing",
      },
      startOf(root),
    );
  if (!context.failed) checkHeldFrames(child(root, "steps"), context);
  return !context.failed && root.kind === "map" ? root : undefined;
}

// Checks the frame of each step inside other steps.
function checkHeldFrames(list: SourceNode | undefined, context: CheckContext): void {
  for (const step of itemsIn(list)) {
    for (const part of BLOCK_PARTS) {
      const held = child(step, part);
      for (const node of itemsIn(held)) checkAgainst(stepFrame, node, context);
      checkHeldFrames(held, context);
    }
  }
}

function checkAgainst(frame: Frame, node: SourceNode, context: CheckContext): void {
  for (const { finding, range } of placeEssential(frames.plainValidator(frame)(toPlain(node)), node))
    context.report(finding, range);
}

/** What expressions may use from the head of the playbook. */
type Declared = Pick<Playbook, "inputs" | "env" | "secrets" | "actors">;

function namesOf(declared: readonly { readonly name: string }[]): readonly string[] {
  return declared.map(({ name }) => name);
}

// Leaves out the outlines, which hold the whole source, because a playbook lives longer than its check.
function loopsOf(outlines: ReadonlyMap<string, Outline>): ReadonlyMap<string, StepLoops> {
  return new Map(
    Array.from(outlines, ([id, { loops, foreach }]) => [id, loops.length === 0 && !foreach ? IN_NO_LOOP : { loops, foreach }]),
  );
}

const IN_NO_LOOP: StepLoops = { loops: [], foreach: false };

class PlaybookReader {
  readonly #root: MapNode;
  readonly #fields: PlaybookFields;
  readonly #context: CheckContext;
  readonly #included: IncludedPlaybooks;

  constructor(root: MapNode, context: CheckContext, included: IncludedPlaybooks) {
    this.#root = root;
    this.#fields = fieldsOf(root, PLAYBOOK);
    this.#context = context;
    this.#included = included;
  }

  read(): CheckedOutputs & { readonly playbook: Playbook } {
    const { file } = this.#context;
    const { id, name = file.path, description, tags, mode, defaults, playbook: _version, ...declared } = this.#fields;
    const { concurrency, schedule, reconcile: compared, checks: looks, steps: listed, outputs: given, ...heads } = declared;
    const { inputs: inputsNode, env: envNode, secrets: secretsNode, actors: actorsNode, ...rest } = heads;
    allRead(rest);
    const inputs = readInputs(inputsNode, this.#context);
    const env = readVariables(envNode, this.#context);
    const secrets = readSecrets(secretsNode, this.#context);
    const actors = readActors(actorsNode);
    checkActorAttributes(actorsNode, this.#context);
    checkDefaultActor(defaults?.as, actors, this.#context);
    const outliner = new Outliner(this.#context);
    const outlines = outliner.read(listed);
    const readOnly = mode === "read-only";
    const around: Surroundings = {
      context: this.#context,
      names: new StepNames(outliner.all, sureFields(outliner.all)),
      lists: new ListsInPart(outliner.all, (outline) => this.#includedAt(outline)?.inPart ?? NO_OUTPUTS.inPart),
      outside: new OutsideNames(secrets, env),
      secrets: new KnownSecrets(secrets),
      types: this.#types({ inputs, env, secrets, actors }, outliner),
      actors,
      defaultAs: defaults?.as,
      readOnly,
      included: this.#included,
    };
    const spot = firstSpot(around.types);
    const steps = readSteps(outlines, spot, around);
    const checks = [...readReconcile(compared, spot, around), ...readChecks(looks, spot, around)];
    const outputs = this.#outputs(given, spot, around);
    const playbook: Playbook = {
      file: file.path,
      id,
      text: file.text,
      name,
      description,
      readOnly,
      tags: textsIn(tags),
      inputs,
      env,
      secrets: around.secrets.all,
      concurrency: readConcurrency(concurrency, this.#context, around),
      schedule: readSchedule(schedule, this.#context, readOnly),
      actors,
      steps,
      checks,
      outputs,
      names: loopsOf(outliner.all),
    };
    if (!this.#context.failed) {
      checkRefusals(playbook, outliner.all, this.#context);
      reportUnread(this.#root, this.#context);
      warnOfUnused(this.#root, this.#context);
    }
    return { playbook, outputs: outputTypes(given, spot), inPart: outputsInPart(playbook, around.lists) };
  }

  #types({ inputs, env, secrets, actors }: Declared, { all: outlines, nodes }: Outliner): StepTypes {
    const types = contractTypes(operationsIn([...nodes, ...this.#checkNodes()]), actors);
    const stepTypes = new Map(Array.from(outlines.values(), (outline) => [outline.id, this.#stepType(types, outline)]));
    const variables = {
      inputs: inputsType(types, inputs),
      env: textsType(types, "Env", namesOf(env)),
      secrets: textsType(types, "Secrets", namesOf(secrets)),
      actors: actorsType(actors),
      run: runType(types),
    };
    return new StepTypes({ types, variables }, outlines, stepTypes);
  }

  #checkNodes(): readonly MapNode[] {
    const { checks, reconcile } = this.#fields;
    const sides = mapsIn(reconcile).flatMap((comparison) => [child(comparison, "left"), child(comparison, "right")]);
    return [...mapsIn(checks), ...sides.filter((side) => side?.kind === "map")];
  }

  #stepType(types: TypeEnvironment, outline: Outline): TypeName {
    const { id, kind, node } = outline;
    if (kind === "block") return blockType(types, visibleOutcomes(outline));
    if (kind === "include") {
      const found = this.#includedAt(outline);
      return found === undefined ? "dyn" : includeType(types, { id, outcomes: visibleOutcomes(outline) }, found.outputs);
    }
    const operation = operationIn(node, "uses");
    if (operation === undefined) return "dyn";
    const outcomes = visibleOutcomes(outline, operation);
    // Earlier versions gave each step the fields of an answer, and all that its operation yields.
    if (expectsRefusal(outline) && !this.#context.isForBegunRun) return refusedType(types, outcomes);
    const without = this.#context.isForBegunRun ? [] : notYielded(node, operation);
    if (without.length === 0 && !BESIDE.some((field) => node.entries.has(field))) return stepType(types, operation, outcomes);
    const fields = { ...ensuredType(node), ...discoveredTypes(node) };
    const isUsual = without.length === 0 && Object.keys(fields).length === 0;
    return stepType(types, operation, outcomes, isUsual ? undefined : { id, fields, without });
  }

  #includedAt(outline: Outline): CheckedPlaybook | undefined {
    const found = includedAt(outline, { context: this.#context, included: this.#included });
    return typeof found === "string" || !("outputs" in found) ? undefined : found;
  }

  #outputs(node: SourceNode | undefined, spot: Spot, around: Surroundings): ReadonlyMap<string, Template> {
    if (node?.kind !== "map") return new Map();
    const scope = withoutSecrets(scopeAt(around, spot));
    return new Map([...node.entries].map(([name, { value }]) => [name, compileTemplate(value, undefined, this.#context, scope)]));
  }
}

function outputTypes(node: SourceNode | undefined, { types }: Spot): ReadonlyMap<string, Variable> {
  return new Map(entriesIn(node).map(([name, { value }]) => [name, typeOfValue(value, types)]));
}

function outputsInPart({ file, outputs }: Playbook, lists: ListsInPart): OutputsInPart {
  const found = Array.from(outputs, ([name, template]): readonly [string, CutStep | undefined] => [
    name,
    lists.cutIn(expressionsIn(template)),
  ]);
  return new Map(
    found.flatMap(([name, cut]) => (cut === undefined ? [] : [[name, { ...cut, file: cut.file ?? file }] as const])),
  );
}

// A batch makes several things, so no field names one of them. With its own `discover`, a step does not search as its operation would.
function notYielded(node: MapNode, { batches, meaning }: Operation): readonly string[] {
  const isBatch = batches && child(child(node, "with"), "items") !== undefined;
  const isReplaced = meaning.discovery !== undefined && node.entries.has("discover");
  return isBatch || isReplaced ? Object.keys(meaning.yields ?? {}) : [];
}

function textsIn(list: SourceNode | undefined): readonly string[] {
  return itemsIn(list).flatMap((item) => textOf(item) ?? []);
}

function mapsIn(list: SourceNode | undefined): readonly MapNode[] {
  return itemsIn(list).filter((item) => item.kind === "map");
}

// Every operation that is called, by a step or by a read beside it.
function operationsIn(nodes: readonly MapNode[]): ReadonlySet<Operation> {
  const found = new Set<Operation | undefined>();
  for (const node of nodes) {
    found.add(operationIn(node, "uses")).add(operationIn(node, "read"));
    for (const beside of BESIDE) found.add(operationIn(child(node, beside), "read"));
  }
  return new Set([...found].filter((operation) => operation !== undefined));
}

const BESIDE = ["ensure", "discover"] as const;

function ensuredType(node: MapNode): Readonly<Record<string, TypeName>> {
  const operation = operationIn(child(node, "ensure"), "read");
  return operation === undefined ? {} : { ensured: responseType(operation) };
}

function discoveredTypes(node: MapNode): Readonly<Record<string, TypeName>> {
  const outputs = child(child(node, "discover"), "outputs");
  return outputs?.kind === "map" ? Object.fromEntries([...outputs.entries.keys()].map((name) => [name, "dyn"])) : {};
}

// A type is worth keeping only if the whole value is one expression.
function typeOfValue(node: SourceNode, types: TypeEnvironment): Variable {
  if (node.kind !== "scalar") return { type: "dyn" };
  if (typeof node.value !== "string")
    return { type: typeof node.value === "boolean" ? "bool" : node.value === null ? "dyn" : "decimal" };
  const whole = wholeExpression(node.value);
  if (whole === undefined) return { type: "string" };
  const typed = types.read(whole.text);
  if ("code" in typed) return { type: "dyn" };
  return { type: typed.type === "int" ? "decimal" : typed.type, id: typed.id };
}
