import { basename } from "node:path";
import { functionsOn } from "./functions.ts";
import type { Field } from "../expression/types.ts";
import { type Operation, operations } from "../operations/operation.ts";
import { readActors } from "../playbook/steps/identity.ts";
import { isShipped, resolveFrom } from "../playbook/playbook-files.ts";
import { isPath } from "../playbook/outline.ts";
import type { ActorDeclaration, Identity } from "../playbook/model.ts";
import { hasEntities, services } from "../services/services.ts";
import { child, type Range } from "../source/node.ts";
import { type Word, wordIn } from "./cursor.ts";
import { type EditorFiles, type TextFile, wordAt } from "./document.ts";
import { type ExpressionCursor, lookAtExpression } from "./expression-at-cursor.ts";
import { markedValue } from "./marked.ts";
import { doubtOf, fieldsAt, namesAt } from "./names.ts";
import { type NamedValue, placeOf, rangeOfPlace } from "./place.ts";
import { typeText } from "./type-text.ts";
import { conditionWords, functionWords, operationWords } from "./markdown.ts";

/** A completion at the cursor. */
export interface Offer {
  /** The text that is shown, and that replaces `replaces`. */
  readonly label: string;
  /** The kind of thing. */
  readonly kind: "name" | "step" | "field" | "function" | "operation" | "actor" | "condition" | "file" | "folder";
  /** Its type, or a description in a few words. */
  readonly detail?: string | undefined;
  /** Returns a description in Markdown, which is made only on request. */
  readonly documentation: () => string | undefined;
  /** The range that it replaces. */
  readonly replaces: Range;
}

/** Returns the completions at the cursor. */
export function complete(file: TextFile, offset: number, files: EditorFiles): readonly Offer[] {
  const marked = markedValue(file, offset);
  if (marked === undefined) return [];
  const found = lookAtExpression(marked, files, (cursor) => inExpression(cursor, wordAt(file.text, offset)));
  if (found !== undefined) return found.seen;
  const place = placeOf(marked);
  return place === undefined ? [] : inName(place, file, { files, replaces: rangeOfPlace(place, file, offset) });
}

function inExpression(cursor: ExpressionCursor, replaces: Range): readonly Offer[] {
  const { scope } = cursor;
  const word = wordIn(cursor.text, cursor.at, scope.types);
  if (word === undefined) return [];
  const named = word.owner === undefined ? namesAt(word, scope) : fieldsAt(word, scope);
  const kind = word.owner === undefined ? "name" : word.owner.type === scope.types.variables["steps"] ? "step" : "field";
  const functions = functionsOn(word.owner?.type).map((each): Offer => {
    return { label: each.name, kind: "function", detail: each.signatures[0], documentation: () => functionWords(each), replaces };
  });
  return [...named.map((field) => offerOf(field, kind, word, { cursor, replaces })), ...functions];
}

function offerOf(
  { name, type, description }: Field,
  kind: Offer["kind"],
  word: Word,
  { cursor, replaces }: { readonly cursor: ExpressionCursor; readonly replaces: Range },
): Offer {
  const doubt = doubtOf([...word.chain.slice(0, -1), name], cursor.scope);
  const words = [description, doubt].filter((each) => each !== undefined).join("\n\n");
  const detail = kind === "step" ? description : typeText(type);
  return { label: name, kind, detail, documentation: () => (words === "" ? undefined : words), replaces };
}

interface Naming {
  readonly files: EditorFiles;
  readonly replaces: Range;
}

function inName(place: NamedValue, file: TextFile, naming: Naming): readonly Offer[] {
  const { replaces } = naming;
  switch (place.kind) {
    case "uses":
      return !isShipped(place.text) && (isPath(place.text) || place.text === ".")
        ? paths(place.text.slice(0, place.at), file, naming)
        : [...[...operations.values()].map((operation) => operationOffer(operation, replaces)), ...shippedOffers(naming)];
    case "read":
      return [...operations.values()].filter(({ writes }) => !writes).map((operation) => operationOffer(operation, replaces));
    case "actor":
      return [...readActors(child(place.root, "actors")).values()]
        .filter(({ group }) => !group)
        .map((actor) => ({
          label: actor.name,
          kind: "actor",
          detail: actorText(actor),
          documentation: () => undefined,
          replaces,
        }));
    case "condition":
      return (place.operation === undefined ? [] : conditionWords(place.operation)).map(({ condition, words }) => {
        return { label: condition, kind: "condition", detail: words, documentation: () => undefined, replaces };
      });
  }
}

function operationOffer(operation: Operation, replaces: Range): Offer {
  const { name, writes, call } = operation;
  const detail = `${writes ? "write" : "read"}: ${call.summary}`;
  return { label: name, kind: "operation", detail, documentation: () => operationWords(operation), replaces };
}

function shippedOffers({ files: { shipped }, replaces }: Naming): readonly Offer[] {
  return (shipped?.names ?? []).map((label) => ({ label, kind: "file", documentation: () => undefined, replaces }));
}

/** Describes the identities of an actor in a few words. */
export function actorText({ identities }: ActorDeclaration): string {
  return identities.map(identityText).join(", ");
}

function identityText(identity: Identity): string {
  return services
    .flatMap((service) => {
      const text = identity[service.name];
      return text === undefined ? [] : [hasEntities(service) ? text : `key ${text}`];
    })
    .join(" and ");
}

// Lists folders, and the playbooks in them, relative to the playbook that names them.
function paths(typed: string, file: TextFile, { files, replaces }: Naming): readonly Offer[] {
  const begun = typed === "." || typed === ".." ? `${typed}/` : typed;
  const folder = begun.slice(0, begun.lastIndexOf("/") + 1);
  const names = files.list(resolveFrom(file.path, folder === "" ? "./" : folder));
  const own = resolveFrom(file.path, basename(file.path));
  return names
    .filter((name) => !name.startsWith(".") && (name.endsWith("/") || /\.ya?ml$/.test(name)))
    .filter((name) => name !== "tokenbook.yaml" && name !== "node_modules/" && resolveFrom(file.path, folder + name) !== own)
    .map((name) => ({
      label: folder + name,
      kind: name.endsWith("/") ? "folder" : "file",
      documentation: () => undefined,
      replaces,
    }));
}
