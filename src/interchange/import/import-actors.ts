import { readEntity } from "../../base/entity.ts";
import { getOrInsert } from "../../base/maps.ts";
import type { Operation } from "../../operations/operation.ts";
import { KEY_ACTS } from "../../playbook/steps/identity.ts";
import { type SourceNode, textOf } from "../../source/node.ts";
import type { GivenParameter } from "./import-scope.ts";
import type { ImportedInputs } from "./import-inputs.ts";
import type { TranslationFindings } from "../findings.ts";
import { splitEmbedded } from "../expressions/runtime-expression.ts";
import { DeclaredActors } from "../declared-actors.ts";
import { outsideName } from "../names.ts";
import { celOf, Expr, Joined } from "../value.ts";

interface ActingHeaders {
  /** The header with the key. */
  readonly key: GivenParameter | undefined;
  /** The parameter with the acting entity. */
  readonly acting: GivenParameter | undefined;
  readonly node: SourceNode;
}

/** The actors of the translated playbook. Keys and acting entities are moved out of the requests. */
export class ImportedActors {
  readonly #findings: TranslationFindings;
  readonly #inputs: ImportedInputs;
  /** The actors that were named so far. */
  readonly declared: DeclaredActors = new DeclaredActors();
  /** For each interface whose callers are entities, the input with its only key. */
  readonly #shared = new Map<string, string>();

  constructor(findings: TranslationFindings, inputs: ImportedInputs) {
    this.#findings = findings;
    this.#inputs = inputs;
  }

  /** Returns the `as` of a step. */
  of(operation: Operation, { key, acting, node }: ActingHeaders): unknown {
    const { service } = operation;
    const credential = key === undefined ? undefined : this.#keyIn(key);
    if (service.identity.kind === "credential") {
      if (credential !== undefined)
        return this.declared.named(nameOfCredential(credential), service.name, outsideName(credential));
      return this.#findings.refuse(
        key?.node ?? node,
        "it does not say whose key the request carries",
        `${service.title} knows callers by their keys, and a key is never written into a playbook`,
        `give the header ${service.keyHeader} the value of an input, such as $inputs.BUYER_KEY`,
      );
    }
    this.#checkShared(service.name, credential, key);
    if (acting === undefined) return { [service.name]: KEY_ACTS };
    const text = textOf(acting.value) ?? "";
    const input = inputIn(text);
    if (input !== undefined) return `\${{ ${this.#inputs.entity(input, acting.value) ?? ""} }}`;
    const entity = readEntity(text);
    if (entity !== undefined && !text.includes("$")) return this.declared.named(entity.value, service.name, text);
    const made = this.#madeOfInputs(text, acting.value);
    if (made !== undefined) return made;
    return this.#findings.refuse(
      acting.value,
      "who acts is not known before the run",
      "write an entity such as userId:alice, or an input",
    );
  }

  // Translates texts such as `userId:gallery{$inputs.runKey}`.
  #madeOfInputs(text: string, place: SourceNode): string | undefined {
    const [, attribute, rest = ""] = /^([A-Za-z]\w*):(.+)$/s.exec(text) ?? [];
    const parts = splitEmbedded(rest).map((part) => {
      if (typeof part === "string") return part;
      const input = inputIn(part.text);
      return input === undefined ? undefined : this.#inputs.value(input, place);
    });
    const known = parts.filter((part) => typeof part === "string" || part instanceof Expr);
    if (attribute === undefined || known.length < parts.length) return undefined;
    return `\${{ {${JSON.stringify(attribute)}: ${celOf(new Joined(known))}} }}`;
  }

  // The key itself is dropped, because the environment has it.
  #keyIn({ value, node }: GivenParameter): string | undefined {
    const name = inputIn(textOf(value) ?? "");
    if (name !== undefined) this.#inputs.isKey(name);
    else this.#findings.tighten(node, "a key is written in this document, and is not copied", "keys are kept in the environment");
    return name;
  }

  #checkShared(service: string, credential: string | undefined, key: GivenParameter | undefined): void {
    if (credential === undefined || key === undefined) return;
    const first = getOrInsert(this.#shared, service, () => credential);
    if (first !== credential)
      this.#findings.lose(key.node, `this step has another key than "${first}"`, "an environment has one key for this interface");
  }
}

// Returns the input whose value a text is, with or without braces.
function inputIn(text: string): string | undefined {
  return /^\{?\$inputs\.([\w.-]+)\}?$/.exec(text)?.[1];
}

// The actor of BUYER_KEY is called buyer.
function nameOfCredential(credential: string): string {
  const words = credential
    .toLowerCase()
    .split(/[\W_]+/)
    .filter((word) => word !== "" && word !== "key");
  return words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("") || credential;
}
