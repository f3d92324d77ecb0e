import { pathOf, pointerTo } from "../../schema/pointer.ts";

/** A runtime expression of Arazzo. */
export type RuntimeExpression =
  | { readonly kind: "input"; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "body"; readonly path: readonly string[] }
  | { readonly kind: "step"; readonly step: string; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "workflow"; readonly workflow: string; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "status" }
  | { readonly kind: "untranslatable"; readonly text: string; readonly why: string };

type ExpressionMaker = (groups: readonly string[]) => RuntimeExpression;

const POINTER = "(?:#(\\S*))?";
const NAME = "([\\w.-]+?)";
const ID = "([\\w-]+)";

const FORMS: readonly (readonly [RegExp, ExpressionMaker])[] = [
  [/^\$statusCode$/, () => ({ kind: "status" })],
  [form(`inputs\\.${NAME}`), ([name = "", pointer]) => ({ kind: "input", name, path: pathIn(pointer) })],
  [form("response\\.body"), ([pointer]) => ({ kind: "body", path: pathIn(pointer) })],
  [/^\$response\.body((?:\.[\w-]+|\[\d+\])+)$/, ([path = ""]) => ({ kind: "body", path: path.match(/[\w-]+/g) ?? [] })],
  [
    form(`steps\\.${ID}\\.outputs\\.${NAME}`),
    ([step = "", name = "", pointer]) => ({ kind: "step", step, name, path: pathIn(pointer) }),
  ],
  [
    form(`workflows\\.${ID}\\.outputs\\.${NAME}`),
    ([workflow = "", name = "", pointer]) => ({ kind: "workflow", workflow, name, path: pathIn(pointer) }),
  ],
];

function form(source: string): RegExp {
  return new RegExp(`^\\$${source}${POINTER}$`);
}

function pathIn(pointer: string | undefined): readonly string[] {
  return pointer === undefined ? [] : pathOf(pointer);
}

const UNTRANSLATABLE: readonly (readonly [RegExp, string])[] = [
  [/^\$response\.(?:header|query|path)\b/, "tokenbook gives a playbook the answer's body, and not its headers"],
  [/^\$request\./, "a playbook knows what it sends: write the value itself"],
  [/^\$(?:url|method|self)\b/, "a playbook holds no addresses and no methods: the environment does"],
  [/^\$message\./, "tokenbook sends HTTP requests, and no messages"],
  [/^\$(?:sourceDescriptions|components|outputs|workflows)\./, "it has no value that a playbook could use here"],
];

/** Reads a runtime expression; `undefined` if the text is not one. */
export function readRuntime(text: string): RuntimeExpression | undefined {
  for (const [pattern, make] of FORMS) {
    const found = pattern.exec(text);
    if (found !== null) return make(found.slice(1));
  }
  const known = UNTRANSLATABLE.find(([pattern]) => pattern.test(text));
  return known === undefined ? undefined : { kind: "untranslatable", text, why: known[1] };
}

/** Appends keys to a runtime expression. */
export function withKeys(text: string, keys: readonly string[]): string {
  if (keys.length === 0) return text;
  return `${text}${text.includes("#") ? "" : "#"}${pointerTo(keys)}`;
}

/** A text with runtime expressions in it: literal parts, and the expressions between them. */
type Embedded = readonly (string | { readonly text: string })[];

/** Splits a text at the runtime expressions in braces. */
export function splitEmbedded(text: string): Embedded {
  const parts: (string | { readonly text: string })[] = [];
  let from = 0;
  for (const { 0: whole, 1: inner = "", index } of text.matchAll(/\{(\$[^{}]+)\}/g)) {
    if (index > from) parts.push(text.slice(from, index));
    parts.push({ text: inner });
    from = index + whole.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
