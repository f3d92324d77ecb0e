import { type Redact, redactor, Secret } from "../../base/secret.ts";
import { isSecretField, secretsOfRequests } from "../../exchanges/archive-secrets.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { fieldName, Names, outsideName } from "../names.ts";
import { Expr, Joined, type WrittenValue } from "../value.ts";

const MASK = /\$\{\{ secrets\.(\w+) \}\}/g;

/** What must not be copied out of an archive: keys, cookies, and the values of fields that are named like secrets. */
export class HarSecrets {
  readonly #values = new Map<string, string>();
  readonly #declared = new Map<string, string>();
  readonly #names = new Names(fieldName);
  readonly #redact: Redact;

  constructor(exchanges: readonly KeptExchange[]) {
    for (const [value, name] of secretsOfRequests(exchanges)) this.#values.set(value, outsideName(name));
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
