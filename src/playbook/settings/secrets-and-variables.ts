import { didYouMeanOr } from "../../base/text/text.ts";
import type { Expression } from "../../expression/expression.ts";
import type { Reference } from "../../expression/reference.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { child, entriesIn, itemsIn, type Range, type SourceNode, textOf } from "../../source/node.ts";
import type { SourceFile } from "../../source/file.ts";
import type { CheckContext, ExpressionScope, NameFinding } from "../check-context.ts";
import type { SecretDeclaration, VariableDeclaration } from "../declarations.ts";
import { isReference } from "../../base/secret.ts";

// The values that a playbook takes from its process: secrets and variables.

/**
 * Hides values that were written in place of references, under `secrets`, as an address of rows, or under another name that says that they are secret, from
 * everything that shows lines of the file. Must be called before anything is reported.
 */
export function concealLiterals(root: SourceNode, file: SourceFile): void {
  const comparisons = itemsIn(child(root, "reconcile"));
  const rows = comparisons.flatMap((each) => ["left", "right"].map((side) => child(child(each, side), "rows")));
  const addresses = rows.flatMap((each) => [child(each, "postgres"), child(each, "http"), ...valuesIn(child(each, "headers"))]);
  const literals = [...valuesIn(child(root, "secrets")), ...addresses].flatMap((value) =>
    value === undefined || refers(value) ? [] : [value.range],
  );
  const named = entriesIn(root).flatMap(([name, { value }]) => (name === "inputs" ? [] : underName(name, value, false)));
  file.conceal([...literals, ...named]);
}

const SECRET_NAME = /^(?:secrets?|passwords?|(?:x-)?api[-_]?keys?|credentials?|authorization)$/i;

// An unknown or misspelt field may hold a secret, and so may a password among data. An expression names a secret at most.
function underName(name: string, value: SourceNode, isBelow: boolean): readonly Range[] {
  const isHidden = isBelow || SECRET_NAME.test(name);
  if (value.kind === "list") return value.items.flatMap((item) => underName(name, item, isHidden));
  if (value.kind === "map") return entriesIn(value).flatMap(([inner, entry]) => underName(inner, entry.value, isHidden));
  return !isHidden || refers(value) || (textOf(value) ?? "").includes("${{") ? [] : [value.range];
}

function valuesIn(node: SourceNode | undefined): readonly (SourceNode | undefined)[] {
  return node?.kind === "map" ? entriesIn(node).map(([, { value }]) => value) : [node];
}

function refers(node: SourceNode): boolean {
  return isReference(textOf(node) ?? "");
}

/** Reads the `secrets` of a playbook. Reports a secret that is written in the text, without showing it. */
export function readSecrets(node: SourceNode | undefined, context: CheckContext): readonly SecretDeclaration[] {
  return entriesIn(node).map(([name, { key, value }]) => {
    if (!refers(value)) context.report(literal(name), value.range);
    return { name, ...placeIn(value), line: context.file.lineOf(key.start), written: `secrets.${name}`, isAddress: false };
  });
}

function placeIn(node: SourceNode): Pick<SecretDeclaration, "from" | "place"> {
  const reference = textOf(node) ?? "";
  return { from: reference.startsWith("env:") ? "variable" : "file", place: reference.slice(reference.indexOf(":") + 1) };
}

interface ReferenceUse extends Pick<SecretDeclaration, "isAddress"> {
  readonly keyword: string;
}

/** The secrets of a playbook: those that it declares, and those to which the rows of its comparisons refer. */
export class KnownSecrets {
  /** The declared secrets first. `nameOf` adds those to which rows refer. */
  readonly all: SecretDeclaration[];

  constructor(declared: readonly SecretDeclaration[]) {
    this.all = [...declared];
  }

  /**
   * Returns the name of the secret that holds the address of rows. It must not be in a file: a person who writes the playbook can also write the files
   * of its project, and would choose where its keys are sent. See decision 155.
   */
  addressOf(node: SourceNode, keyword: string, context: CheckContext): string {
    if (!refers(node)) context.report(literal(keyword, ""), node.range);
    else if (placeIn(node).from === "file") context.report(addressInFile(keyword), node.range);
    return this.#named(node, context, { keyword, isAddress: true });
  }

  /** Returns the name of the secret to which a reference leads. Reports a secret that is written in the text, without showing it. */
  nameOf(node: SourceNode, keyword: string, context: CheckContext): string {
    if (!refers(node)) context.report(literal(keyword), node.range);
    return this.#named(node, context, { keyword, isAddress: false });
  }

  #named(node: SourceNode, { file }: CheckContext, { keyword, isAddress }: ReferenceUse): string {
    const wanted = placeIn(node);
    const same = this.all.find(({ from, place }) => from === wanted.from && place === wanted.place);
    if (same !== undefined) return same.name;
    let name = wanted.place.replaceAll(/\W/g, "_");
    while (this.all.some((each) => each.name === name)) name = `${name}_`;
    const written = `${keyword}: ${textOf(node) ?? ""}`;
    this.all.push({ ...wanted, name, line: file.lineOf(node.range.start), written, isAddress });
    return name;
  }
}

function literal(name: string, otherwise: string = `, or ${name}: file:PATH`): Finding {
  return {
    code: "playbook.secret-literal",
    message: `"${name}" is not a reference: write only where the secret is`,
    suggestion: `${name}: env:${name}${otherwise}; a secret that was saved in this file should be changed`,
  };
}

function addressInFile(name: string): Finding {
  return {
    code: "playbook.reconcile-rows",
    message: `"${name}" takes its address from a variable, not from a file`,
    why: "whoever writes the playbook can write the files of its project too, and would choose where its keys are sent",
    suggestion: `${name}: env:VARIABLE`,
  };
}

/** Reads the `env` of a playbook. */
export function readVariables(node: SourceNode | undefined, context: CheckContext): readonly VariableDeclaration[] {
  return entriesIn(node).map(([name, { key, value }]) => ({
    name,
    default: textOf(value),
    line: context.file.lineOf(key.start),
  }));
}

/** The place of an expression, with what matters for secrets. */
export interface SecretStandpoint {
  /** The step to which it belongs. */
  readonly own: string | undefined;
  /** The item names of the surrounding loops. */
  readonly items: readonly string[];
}

/**
 * Checks that every `secrets.NAME` and `env.NAME` in an expression is declared, that secrets stay whole, and that no secret is compared
 * with its mask.
 */
export class OutsideNames {
  readonly #declared: Readonly<Record<string, readonly string[]>>;

  constructor(secrets: readonly SecretDeclaration[], variables: readonly VariableDeclaration[]) {
    this.#declared = { secrets: secrets.map(({ name }) => name), env: variables.map(({ name }) => name) };
  }

  /** Returns the first wrong use of a secret or a variable; `undefined` if there is none. */
  check(expression: Expression, from: SecretStandpoint): NameFinding | undefined {
    for (const reference of expression.references) {
      const finding = this.#undeclared(reference, expression.text);
      if (finding !== undefined) return finding;
    }
    if (!expression.references.some(isSecret)) return undefined;
    const altered = expression.alteredPart("secrets");
    if (altered !== undefined) return { finding: partOfSecret(altered.text), start: altered.start, end: altered.end };
    const kept = expression.references.find((reference) => isKept(reference, from));
    return kept === undefined ? undefined : { finding: heldAgainstMask(kept), start: kept.start, end: kept.end };
  }

  #undeclared({ root, path, start, end }: Reference, text: string): NameFinding | undefined {
    const known = this.#declared[root];
    const [name] = path;
    if (known === undefined || !Object.hasOwn(this.#declared, root)) return undefined;
    if (name === undefined) return { finding: unnamed(root), start, end };
    if (known.includes(name)) return undefined;
    const at = text.indexOf(name, start + root.length);
    return { finding: undeclared(root, name, known), start: at, end: at + name.length };
  }
}

function isSecret({ root }: Reference): boolean {
  return root === "secrets";
}

// The results of earlier steps come from the journal, where secrets are masked. So a comparison with the secret itself would never be true.
function isKept({ root, path }: Reference, { own, items }: SecretStandpoint): boolean {
  if (root === "steps") return path[0] !== own && path[1] !== "outcome";
  return items.includes(root);
}

function partOfSecret(text: string): Finding {
  return {
    code: "playbook.secret-part",
    message: `${text} is no whole secret, so nothing would mask it`,
    suggestion:
      "use the secret whole: as a value, joined to a text with +, or compared; declare a part that you need as a secret",
  };
}

function heldAgainstMask({ root, path }: Reference): Finding {
  return {
    code: "playbook.secret-kept",
    message: `${[root, ...path].join(".")} and a secret cannot be used in one expression: the results of earlier steps are kept with secrets masked`,
    suggestion: "compare in the `expect` of the step that reads, with response; in a text, write two expressions",
  };
}

function unnamed(root: string): Finding {
  return {
    code: root === "env" ? "playbook.unknown-variable" : "playbook.unknown-secret",
    message: `name ${root === "env" ? "the variable" : "the secret"}: ${root}.NAME`,
  };
}

function undeclared(root: string, name: string, known: readonly string[]): Finding {
  const declare = root === "env" ? `env: { ${name}: a default }` : `secrets: { ${name}: env:${name} }`;
  return {
    code: root === "env" ? "playbook.unknown-variable" : "playbook.unknown-secret",
    message: `${root === "env" ? "a variable" : "a secret"} "${name}" is not declared in this playbook`,
    suggestion: didYouMeanOr(name, known, `declare it: ${declare}`),
  };
}

/** Returns the same scope for a value that the journal keeps for later. A secret in it would come back as its mask. */
export function withoutSecrets(scope: ExpressionScope): ExpressionScope {
  return {
    ...scope,
    names(expression) {
      const secret = expression.references.find(isSecret);
      const kept = secret === undefined ? undefined : { finding: KEPT, start: secret.start, end: secret.end };
      return scope.names(expression) ?? kept;
    },
  };
}

const KEPT: Finding = {
  code: "playbook.secret-kept",
  message: "no secret is allowed here: this value is kept, and a secret is kept masked",
  suggestion: "use the secret where it is sent; an included playbook declares its own under secrets:",
};
