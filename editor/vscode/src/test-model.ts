// What the test explorer shows: playbooks, their steps and rounds, and how a run changes them. Nothing here needs an editor.

/** The part of a symbol of the language server that tests need. */
export interface OutlineSymbol {
  readonly name: string;
  readonly detail?: string;
  readonly range: { readonly start: { readonly line: number } };
  readonly children?: readonly OutlineSymbol[];
}

/** A playbook, a step, or a round of a step. */
export interface TestNode {
  /** Of a playbook its address, of a step the address and the step's id. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** From 0. */
  readonly line: number;
  readonly children: readonly TestNode[];
}

/** Returns the tests of a file: its playbook, with all steps; `undefined` where it is no playbook. */
export function testsIn(uri: string, symbols: readonly OutlineSymbol[]): TestNode | undefined {
  const [playbook] = symbols;
  return playbook && { ...nodeOf(playbook, uri), children: (playbook.children ?? []).map((step) => stepNode(uri, step)) };
}

function stepNode(uri: string, step: OutlineSymbol): TestNode {
  return { ...nodeOf(step, stepId(uri, step.name)), children: (step.children ?? []).map((inner) => stepNode(uri, inner)) };
}

function nodeOf({ name, detail = "", range }: OutlineSymbol, id: string): TestNode {
  return { id, label: name, description: detail, line: range.start.line, children: [] };
}

function stepId(uri: string, address: string): string {
  return `${uri}#${address}`;
}

/** How a test ended. */
export type Verdict = "passed" | "failed" | "errored" | "skipped";

/** Who shows the tests. */
export interface TestView {
  started(id: string): void;
  ended(id: string, verdict: Verdict, message: string): void;
  /** Shows a round of a step that it did not know yet. */
  addRound(step: string, round: string, label: string): void;
}

/** What the debug adapter says about a step. */
interface StepNews {
  readonly state: "started" | "ended";
  readonly address: string;
  readonly step: string;
  readonly outcome?: string;
  readonly message?: string;
}

/** What the debug adapter prints. */
interface Output {
  readonly category?: string;
  readonly output: string;
}

/** A message of the debug adapter, as an editor passes it on. */
export interface AdapterMessage {
  readonly type?: string;
  readonly event?: string;
  readonly body?: unknown;
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  ok: "passed",
  changed: "passed",
  unchanged: "passed",
  rescued: "passed",
  skipped: "skipped",
  failed: "failed",
  conflict: "failed",
  drift: "failed",
  pending: "errored",
  unknown: "errored",
};

const WORST_FIRST: readonly Verdict[] = ["errored", "failed", "passed", "skipped"];

const EXITS: Readonly<Record<number, string>> = {
  1: "the run failed",
  2: "the run could not start: the debug console says why",
  3: "two sides differ that must agree",
  4: "the run is waiting for approval; resume it later",
  5: "the outcome of a write is unknown: tokenbook resume looks again",
  6: "another run is in the way: the debug console names it",
  130: "the run was interrupted; tokenbook resume continues it",
};

const COULD_NOT_START = 2;

// A failure is printed as one text, which begins with its code.
function failureIn({ category, output }: Output): string | undefined {
  return category === "stderr" && output.startsWith("error ") ? output.trimEnd() : undefined;
}

/** One run of a playbook, as the test explorer sees it. */
export class TestRunModel {
  readonly #playbook: TestNode;
  readonly #view: TestView;
  readonly #steps: ReadonlySet<string>;
  /** How steps ended, with their rounds: by the id of the step as written. */
  readonly #ended = new Map<string, { readonly verdict: Verdict; readonly message: string }[]>();
  readonly #rounds = new Set<string>();
  #exitCode: number | undefined;
  #failure = "";

  constructor(playbook: TestNode, view: TestView) {
    this.#playbook = playbook;
    this.#view = view;
    this.#steps = new Set(idsIn(playbook));
  }

  /** Takes a message of the adapter; those that say nothing about tests are left alone. */
  take({ type, event, body }: AdapterMessage): void {
    if (type !== "event") return;
    if (event === "tokenbook.step") this.#step(body as StepNews);
    if (event === "output") this.#failure = failureIn(body as Output) ?? this.#failure;
    if (event === "exited") this.#exitCode = (body as { readonly exitCode: number }).exitCode;
  }

  // Steps of included playbooks belong to the step that includes them, which ends when they have ended.
  #step({ state, address, step, outcome = "", message = "" }: StepNews): void {
    const id = stepId(this.#playbook.id, step);
    if (!this.#steps.has(id)) return;
    const own = address === step ? id : stepId(this.#playbook.id, address);
    if (own !== id && !this.#rounds.has(own)) {
      this.#rounds.add(own);
      this.#view.addRound(id, own, address);
    }
    if (state === "started") return this.#view.started(own);
    const verdict = VERDICTS[outcome] ?? "errored";
    this.#ended.set(id, [...(this.#ended.get(id) ?? []), { verdict, message }]);
    this.#view.ended(own, verdict, message);
  }

  /** Ends the tests: a step with rounds ended as the worst of them, and a step that never ran was skipped. */
  end(): void {
    for (const id of this.#steps) {
      if (id === this.#playbook.id) continue;
      const all = this.#ended.get(id);
      const [verdict, message] = worst(all ?? [{ verdict: "skipped", message: "" }]);
      this.#view.ended(id, verdict, message);
    }
    const code = this.#exitCode ?? 130;
    const verdict = code === 0 ? "passed" : code === 1 || code === 3 ? "failed" : "errored";
    this.#view.ended(this.#playbook.id, verdict, code === 0 ? "" : this.#reasonFor(code));
  }

  #reasonFor(code: number): string {
    const reason = EXITS[code] ?? `tokenbook ended with ${code}`;
    return code === COULD_NOT_START && this.#failure !== "" ? `${reason}\n\n${this.#failure}` : reason;
  }
}

function worst(all: readonly { readonly verdict: Verdict; readonly message: string }[]): readonly [Verdict, string] {
  const verdict = WORST_FIRST.find((each) => all.some((one) => one.verdict === each)) ?? "skipped";
  const messages = all.filter((one) => one.verdict === verdict && one.message !== "").map(({ message }) => message);
  return [verdict, messages.join("\n\n")];
}

function idsIn(node: TestNode): readonly string[] {
  return [node.id, ...node.children.flatMap(idsIn)];
}
