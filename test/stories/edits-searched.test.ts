import { expect, test } from "vitest";
import { Dice } from "../../src/base/numbers/dice.ts";
import { isNightly } from "../sizes.ts";
import { desk, type Desk } from "./desk.ts";
import { runIn } from "./world.ts";

// Runs playbooks of mints in blocks, loops and included playbooks. They stop, are edited at random, and are resumed.

/** A mint of a unique value, or a container of other nodes. */
type Node =
  | { readonly kind: "mint"; readonly id: string; readonly value: number }
  | { readonly kind: "block" | "include"; readonly id: string; readonly inner: readonly Node[] }
  | { readonly kind: "loop"; readonly id: string; readonly key: string; readonly inner: readonly Node[] }
  | { readonly kind: "stop"; readonly id: "stop" };

interface Written {
  readonly folder: string;
  readonly token: string;
  /** Whether the expectation of the stop step holds, so that the run passes it. */
  readonly passes: boolean;
}

/** The story of one run: its first playbook, and its playbook after each edit. */
interface Story {
  readonly seed: number;
  readonly texts: readonly (readonly Node[])[];
}

const STORIES = isNightly ? 250 : 12;
const EDITS = 4;
const ISSUER = `actors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\n`;

function filesOf(nodes: readonly Node[], written: Written): Map<string, string> {
  const files = new Map<string, string>();
  const token = `  - id: token\n    uses: ledger.token.create\n    with: { id: ${written.token}, name: T, symbol: TTT, behaviour: { decimal: 0, maxMintQuantity: "100000", transferable: true, burnable: true } }\n`;
  files.set("outer.yaml", `playbook: 1\n${ISSUER}steps:\n${token}${stepsOf(nodes, written, files)}`);
  return files;
}

function stepsOf(nodes: readonly Node[], written: Written, files: Map<string, string>): string {
  return nodes.map((node) => stepOf(node, written, files)).join("");
}

function stepOf(node: Node, written: Written, files: Map<string, string>): string {
  const { token, passes } = written;
  switch (node.kind) {
    case "mint":
      return `  - id: ${node.id}\n    uses: ledger.token.mint\n    with: { id: ${token}, to: "\${{ actors.issuer }}", value: ${node.value} }\n`;
    case "stop":
      return `  - id: stop\n    uses: ledger.token.get\n    with: { id: ${token} }\n    expect: [response.totalSupply ${passes ? ">=" : "<"} 0]\n`;
    case "include":
      files.set(`${node.id}.yaml`, `playbook: 1\n${ISSUER}steps:\n${stepsOf(node.inner, written, files)}`);
      return `  - id: ${node.id}\n    uses: ./${node.id}.yaml\n`;
    case "block":
    case "loop": {
      const loop =
        node.kind === "loop" ? `    foreach: { n_${node.id}: [x], key: ${node.key.replace("N", `n_${node.id}`)} }\n` : "";
      return `  - id: ${node.id}\n${loop}    block:\n${stepsOf(node.inner, written, files).replaceAll(/^/gm, "    ").trimEnd()}\n`;
    }
  }
}

function storyOf(seed: number): Story {
  const dice = new Dice(seed);
  let names = 0;
  const name = (): string => `s${++names}`;
  const mint = (): Node => ({ kind: "mint", id: name(), value: names });
  const held = (inner: readonly Node[]): Node => {
    const kind = dice.pick(["block", "loop", "include"] as const);
    return kind === "loop" ? { kind, id: name(), key: "N", inner } : { kind, id: name(), inner };
  };
  const grow = (depth: number): Node => (depth > 0 && dice.chance(0.5) ? held([mint(), grow(depth - 1)]) : mint());
  const first = [grow(2), grow(2), grow(2)];
  const whole: readonly Node[] = first.toSpliced(2, 0, { kind: "stop", id: "stop" });
  const texts = [whole];
  for (let edit = 0; edit < EDITS; edit++) texts.push(edited(texts.at(-1) ?? [], { dice, name, held }));
  return { seed, texts };
}

interface Editor {
  readonly dice: Dice;
  readonly name: () => string;
  readonly held: (inner: readonly Node[]) => Node;
}

// Edits one place, usually one that is done. What that place contains stays.
function edited(nodes: readonly Node[], editor: Editor): readonly Node[] {
  const { dice, name, held } = editor;
  const stop = nodes.findIndex(({ kind }) => kind === "stop");
  const at = dice.below(stop > 0 && dice.chance(0.8) ? stop : nodes.length);
  const node = nodes[at];
  if (node === undefined || node.kind === "stop") return nodes;
  if ("inner" in node && node.inner.length > 0 && dice.chance(0.4))
    return nodes.with(at, { ...node, inner: edited(node.inner, editor) });
  const inner = "inner" in node ? node.inner : [node];
  const edits: readonly (() => readonly Node[])[] = [
    () => nodes.with(at, { ...node, id: name() }),
    () => nodes.with(at, held([node])),
    () => nodes.toSpliced(at, 1, ...inner),
    () => nodes.with(at, held(inner)),
    () => (nodes.length > 1 ? nodes.toSpliced(at, 1) : nodes),
    () => nodes.toSpliced(at, 1).toSpliced(dice.below(nodes.length), 0, node),
    () => nodes.with(at, node.kind === "loop" ? { ...node, key: `N + "${name()}"` } : node),
    () => nodes.with(at, node.kind === "mint" ? { ...node, value: 1_000 + Number(name().slice(1)) } : node),
    () => [...nodes, { kind: "mint", id: name(), value: 2_000 + Number(name().slice(1)) }],
  ];
  return dice.pick(edits)();
}

function valuesIn(nodes: readonly Node[]): readonly number[] {
  return nodes.flatMap((node) => (node.kind === "mint" ? [node.value] : "inner" in node ? valuesIn(node.inner) : []));
}

async function minted({ service }: Desk, token: string): Promise<readonly number[]> {
  const commits = await service.commits();
  const mints = commits.filter(
    (each) => each.operation === "ledger.token.mint" && JSON.stringify(each.body).includes(`"${token}"`),
  );
  return mints.map(({ body }) => Number(/"value":"?(\d+)/.exec(JSON.stringify(body))?.[1]));
}

/** Plays a story, and returns how many of its edits were accepted. */
async function played(at: Desk, { seed, texts: [first = [], ...edits] }: Story): Promise<number> {
  const folder = `story${seed}`;
  const token = `T${seed}`;
  const write = (nodes: readonly Node[], passes: boolean): void => {
    for (const [file, text] of filesOf(nodes, { folder, token, passes })) at.project.write(`${folder}/${file}`, text);
  };
  write(first, false);
  const began = await at.project.run("run", `${folder}/outer.yaml`);
  expect(began.code, began.transcript).toBe(1);
  let accepted = first;
  let count = 0;
  for (const nodes of edits) {
    write(nodes, false);
    const resumed = await at.project.run("resume", runIn(began));
    if (resumed.code === 2) expect(resumed.stderr, resumed.transcript).toContain("resume.edited");
    else [accepted, count] = [nodes, count + 1];
  }
  write(accepted, true);
  const ended = await at.project.run("resume", runIn(began));
  const story = JSON.stringify({ seed, first, accepted }, undefined, 1);
  expect(ended.code, `${story}\n${ended.transcript}`).toBe(0);
  const done = await minted(at, token);
  expect(new Set(done).size, `a mint was made twice: ${story}`).toBe(done.length);
  expect(
    valuesIn(accepted).filter((value) => !done.includes(value)),
    `what is written was never minted: ${story}`,
  ).toEqual([]);
  return count;
}

test("an accepted edit renames, groups, moves or removes steps, and each mint is made exactly once", async () => {
  const at = await desk({});
  let accepted = 0;
  for (let seed = 1; seed <= STORIES; seed++) accepted += await played(at, storyOf(seed));
  expect(accepted).toBeGreaterThan(STORIES / 2);
}, 600_000);
