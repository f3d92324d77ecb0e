import { oneLine } from "../../formats/foreign-text.ts";
import type { StepReport } from "../../shape.ts";
import { STEP_WORDS, wordOf } from "../../words.ts";
import { el, type Markup, opening } from "../markup.ts";
import { wordMarkup } from "./phrases.ts";
import type { StepNode } from "../../steps/step-tree.ts";

/** How the steps of a tree are written. */
interface TreeShown {
  readonly openStep: (step: StepReport, isOpen: boolean) => string;
  readonly isConcern: (step: StepReport) => boolean;
}

/** Returns the steps of a tree in pieces. The rounds of a `foreach` fold together, and steps that need no attention are closed. */
export function* treePieces(nodes: readonly StepNode[], shown: TreeShown): Generator<string> {
  for (let at = 0; at < nodes.length;) {
    const rounds = roundsFrom(nodes, at);
    at += rounds.length;
    if (rounds.length > 1) {
      yield `\n${opening("details", { class: "group", open: rounds.some((round) => needsLook(round, shown)) })}${groupLine(rounds, shown).html}<div class="held">`;
      for (const round of rounds) yield* nodePieces(round, shown);
      yield "</div></details>";
    } else for (const node of rounds) yield* nodePieces(node, shown);
  }
}

function* nodePieces(node: StepNode, shown: TreeShown): Generator<string> {
  yield `\n${shown.openStep(node.step, needsLook(node, shown))}`;
  if (node.held.length > 0) {
    yield '<div class="held">';
    yield* treePieces(node.held, shown);
    yield "</div>";
  }
  yield "</details>";
}

function needsLook({ step, held }: StepNode, shown: TreeShown): boolean {
  return shown.isConcern(step) || held.some((each) => needsLook(each, shown));
}

function roundsFrom(nodes: readonly StepNode[], from: number): readonly StepNode[] {
  const id = nodes[from]?.step.id ?? "";
  let to = from + 1;
  while (isRoundOf(id, nodes[from]) && isRoundOf(id, nodes[to])) to++;
  return nodes.slice(from, to);
}

function isRoundOf(id: string, node: StepNode | undefined): boolean {
  return node?.step.id === id && node.step.key !== undefined;
}

function groupLine(rounds: readonly StepNode[], shown: TreeShown): Markup {
  const [first] = rounds;
  const outcomes = Map.groupBy(rounds, ({ step }) => step.outcome);
  const counts = Array.from(outcomes, ([outcome, { length }]) =>
    el("span", { class: `word ${outcome}` }, `${length} ${STEP_WORDS[outcome].word}`),
  );
  const worst = rounds.find((round) => needsLook(round, shown)) ?? first;
  return el(
    "summary",
    { class: worst?.step.outcome ?? "ok" },
    wordMarkup(worst === undefined ? STEP_WORDS.ok : wordOf(worst.step)),
    el(
      "span",
      { class: "what" },
      el("b", {}, oneLine(first?.step.id ?? "")),
      ` ${rounds.length} rounds: `,
      counts.flatMap((each, at) => (at === 0 ? [each] : [", ", each])),
    ),
  );
}
