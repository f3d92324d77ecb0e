import { type Redact, redactor, Secret } from "../../base/secret.ts";
import { contract } from "../../contract/contract.ts";
import { fieldName, Names, outsideName } from "../names.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { isSecretName } from "../arazzo-document.ts";
import { isKeyHeader } from "../operation-reference.ts";
import { Expr, Joined, type WrittenValue } from "../value.ts";

const MASK = /\$\{\{ secrets\.(\w+) \}\}/g;
const SHORTEST = 6;

/** What must not be copied out of an archive: keys, cookies, and the values of fields that are named like secrets. */
export class HarSecrets {
  readonly #values = new Map<string, string>();
  readonly #declared = new Map<string, string>();
  readonly #names = new Names(fieldName);
  readonly #redact: Redact;

  constructor(exchanges: readonly KeptExchange[]) {
    for (const { headers, url } of exchanges) {
      for (const [name, value] of Object.entries(headers)) {
        if (isKeyHeader(name) || isSecretName(name)) for (const part of partsOf(value)) this.#values.set(part, outsideName(name));
      }
      for (const [name, value] of URL.parse(url)?.searchParams ?? [])
        if (isSecretField(name) && value.length >= SHORTEST) this.#values.set(value, outsideName(name));
    }
    this.#redact = redactor(Array.from(this.#values, ([value, name]) => new Secret(name, value)));
  }

  /** Returns the secrets of the playbook, by name. */
  written(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#declared);
  }

  /** Returns a text with a reference in place of each secret; `field` is the name of its field. */
  hide(text: string, field: string): WrittenValue {
    if (isSecretField(field) && !text.includes("${{")) return this.#secret(field);
    const parts = this.#split(text).filter((part) => part !== "");
    // One that is spelled differently, as in base64, is not what an expression would send.
    if (parts.some((part) => typeof part === "string" && this.#redact(part) !== part)) return this.#secret(field);
    const [only] = parts;
    return parts.length > 1 ? new Joined(parts) : (only ?? "");
  }

  #split(text: string): readonly (string | Expr)[] {
    const masked = text.split(MASK).map((part, at) => (at % 2 === 1 ? this.#secret(part) : part));
    return masked.flatMap((part) => (part instanceof Expr ? [part] : this.#hidden(part)));
  }

  #hidden(text: string): readonly (string | Expr)[] {
    for (const [value, name] of this.#values) {
      const at = text.indexOf(value);
      if (at >= 0)
        return [...this.#hidden(text.slice(0, at)), this.#secret(name), ...this.#hidden(text.slice(at + value.length))];
    }
    return [text.replaceAll("${{", "$ {{")];
  }

  #secret(name: string): Expr {
    const declared = /^[A-Z\d_]+$/.test(name) ? name : this.#names.of(name);
    const variable = declared.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toUpperCase();
    this.#declared.set(declared, `env:${variable}`);
    return new Expr(`secrets.${declared}`);
  }
}

// `Bearer abc`, and cookies `a=b; c=d`.
function partsOf(header: string): readonly string[] {
  if (header.startsWith("${{")) return [];
  const parts = header.split(/[;\s]+/).map((part) => part.slice(part.startsWith("=") ? 1 : part.indexOf("=") + 1));
  return [header, ...parts].filter((part) => part.length >= SHORTEST && /[A-Za-z\d]/.test(part));
}

let known: ReadonlySet<string> | undefined;

// A field of the contract, such as vaultToken, is no secret.
function isSecretField(name: string): boolean {
  known ??= new Set(Object.values(contract.$defs).flatMap(({ properties = {} }) => Object.keys(properties)));
  return isSecretName(name) && !known.has(name);
}
