import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { writeJson, textOrJson } from "../../../base/json/json.ts";
import { objectOf } from "../../../base/maps.ts";
import { didYouMean, wrap } from "../../../base/text/text.ts";
import { itemType, type TypeName } from "../../../expression/types.ts";
import type { Playbook } from "../../../playbook/model.ts";
import type { InputDeclaration, ValueShape } from "../../../playbook/declarations.ts";
import { callsOf } from "../../../playbook/playbook-walk.ts";
import { writeYaml } from "../../../source/write-yaml.ts";
import { columnsIn, sectionsOf, widthOn } from "../../print/columns.ts";
import {
  bareNameOf,
  pathOfShipped,
  shipped,
  type ShippedPlaybook,
  shippedPlaybook,
  shippedPlaybooks,
} from "../../project/shipped.ts";
import { printData, printText } from "../../print/result.ts";
import type { Command } from "../../shell.ts";

interface LibraryOptions {
  readonly name?: string;
  readonly text?: boolean;
  readonly json?: boolean;
}

/** `tokenbook library`: lists the playbooks that come with the tool, with their inputs and outputs. */
export const library: Command<LibraryOptions> = async (shell, { name, text, json }) => {
  if (name === undefined) {
    const all = shippedPlaybooks();
    if (json === true) return printData(shell, { playbooks: all.map(asData) });
    return printText(shell, list(all, widthOn(shell.stdout)));
  }
  const uses = shippedName(name);
  if (text === true) return printText(shell, shipped.read(uses) ?? "");
  const entry = shippedPlaybook(uses);
  if (json === true) return printData(shell, asData(entry));
  return printText(shell, page(entry, widthOn(shell.stdout)));
};

// `mint`, `mint.yaml` and `tokenbook/mint.yaml` name the same playbook.
function shippedName(name: string): string {
  const { names } = shipped;
  const found = names.find((each) => bareNameOf(each) === bareNameOf(name));
  if (found !== undefined) return found;
  const near = didYouMean(bareNameOf(name), names.map(bareNameOf));
  throw new Failure({
    code: "library.unknown",
    message: `no playbook "${name}" comes with tokenbook`,
    next: near === undefined ? command`library` : command`library ${near}`,
  });
}

function list(all: readonly ShippedPlaybook[], width: number): string {
  const rows = columnsIn(width)(all.map(({ uses, playbook }) => [uses, playbook.name]));
  const more = wrap("A step uses one by this name. `tokenbook library NAME` shows its inputs and outputs.", width);
  return `${[...rows, "", ...more].join("\n")}\n`;
}

function page(entry: ShippedPlaybook, width: number): string {
  const columns = columnsIn(width);
  const { uses, playbook, outputs } = entry;
  const inputs = playbook.inputs.map((input) => [
    input.default === undefined ? `${input.name} *` : input.name,
    typeOf(input),
    about(input),
  ]);
  const sections = sectionsOf([
    ["Inputs (`with`)", [...columns(inputs), "`*` required"]],
    ["Outputs", columns(Array.from(outputs, ([name, type]) => [`steps.ID.outputs.${name}`, wordsOf(type)]))],
    ["Writes", writesOf(playbook)],
    ["Needs", credentialsOf(playbook).map((name) => `the credential ${name} in the environment`)],
    [
      "Example",
      writeYaml([example(entry)])
        .trimEnd()
        .split("\n"),
    ],
  ]);
  const description = wrap(playbook.description ?? "", width).join("\n");
  const path = `To read or copy it: tokenbook library ${bareNameOf(uses)} --text`;
  return `${[`${uses}: ${playbook.name}`, description, ...sections, path].join("\n\n")}\n`;
}

function example({ uses, playbook }: ShippedPlaybook): object {
  const id = bareNameOf(uses).replaceAll("-", "_");
  const needed = playbook.inputs.filter((input) => input.default === undefined);
  return { id, uses, with: Object.fromEntries(needed.map(({ name }) => [name, `\${{ inputs.${name} }}`])) };
}

function typeOf({ shape }: InputDeclaration): string {
  const { minimum, maximum, enum: choices } = shape;
  const bounds = [minimum === undefined ? "" : `at least ${minimum}`, maximum === undefined ? "" : `at most ${maximum}`];
  const allowed = choices === undefined ? "" : `one of ${choices.map((choice) => textOrJson(choice)).join(", ")}`;
  return [shapeWords(shape), ...bounds, allowed].filter((part) => part !== "").join(", ");
}

function shapeWords({ type, items, properties }: ValueShape): string {
  if (type === "list") return items === undefined ? "list" : `list of ${shapeWords(items)}`;
  if (type === "object" && properties !== undefined)
    return `{${Array.from(properties, ([name, shape]) => `${name}: ${shapeWords(shape)}`).join(", ")}}`;
  return WORDS[type] ?? type;
}

function about(input: InputDeclaration): string {
  const preset = input.default === undefined ? "" : `Default: ${writeJson(input.default)}.`;
  return [input.description ?? "", preset].filter((part) => part !== "").join(" ");
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  any: "anything",
  bool: "boolean",
  dyn: "anything",
  int: "decimal",
};

function wordsOf(type: TypeName): string {
  if (type === "map<string, string>") return "entity";
  const item = itemType(type);
  return item === undefined ? (WORDS[type] ?? (type.startsWith("map") ? "object" : type)) : `list of ${wordsOf(item)}`;
}

function writesOf(playbook: Playbook): readonly string[] {
  const names = [...callsOf(playbook)].filter(({ operation }) => operation.writes).map(({ operation }) => operation.name);
  return [...new Set(names)];
}

function credentialsOf(playbook: Playbook): readonly string[] {
  const named = [...playbook.actors.values()].flatMap(({ identities }) => identities.map(({ investor }) => investor));
  return [...new Set(named.filter((name) => name !== undefined))];
}

function asData({ uses, playbook, outputs }: ShippedPlaybook): object {
  return {
    uses,
    name: playbook.name,
    description: playbook.description ?? "",
    readOnly: playbook.readOnly,
    inputs: playbook.inputs.map((input) => ({
      name: input.name,
      type: input.type,
      means: typeOf(input),
      required: input.default === undefined,
      default: input.default ?? null,
      description: input.description ?? "",
    })),
    outputs: objectOf(outputs, wordsOf),
    writes: writesOf(playbook),
    credentials: credentialsOf(playbook),
    file: pathOfShipped(uses) ?? null,
  };
}
