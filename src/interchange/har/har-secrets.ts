import { type Redact, redactor, Secret } from "../../base/secret.ts";
import type { Decimal } from "../../base/numbers/decimal.ts";
import { isSecretField, secretsOfRequests } from "../../exchanges/archive-secrets.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { fieldName, Names, outsideName } from "../names.ts";
import { Expr, Joined, type WrittenValue } from "../value.ts";

const MASK = /\$\{\{ secrets\.(\w+) \}\}/g;
const IS_MASK = /^\$\{\{ secrets\.\w+ \}\}$/;
// Splits the beginning of an expression into an expression that yields its first character, and the rest.
const OPENING = "${{";
const DOLLAR = new Expr('"$"');

/** Values that must not be copied from an archive: keys, cookies, and the values of fields that are named like secrets. */
export class HarSecrets {
  readonly #values = new Map<string, string>();
  readonly #declared = new Map<string, string>();
  readonly #names = new Names(fieldName);
  readonly #variables = new Names(variableName);
  readonly #redact: Redact;

  constructor(exchanges: readonly KeptExchange[]) {
    for (const [value, name] of secretsOfRequests(exchanges)) this.#values.set(value, outsideName(name));
    this.#redact = redactor(Array.from(this.#values, ([value, name]) => new Secret(name, value)));
  }

  /** Returns the secrets of the playbook, by name. */
  written(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#declared);
  }

  /** Returns whether a text contains a key or a cookie of the archive. */
  isIn(text: string): boolean {
    return this.#redact(text) !== text;
  }

  /** Returns a text with a reference in place of each secret. `field` is the name of its field, or of a field around it that is named like a secret. */
  hide(text: string, field: string): WrittenValue {
    if (isSecretField(field) && !IS_MASK.test(text)) return this.#secret(field, text);
    const parts = this.#split(text).filter((part) => part !== "");
    // If the secret is encoded, as in base64, an expression would not send the same text, so the whole text becomes a secret.
    if (parts.some((part) => typeof part === "string" && this.isIn(part))) return this.#secret(field, text);
    const [only] = parts;
    return parts.length > 1 ? new Joined(parts) : (only ?? "");
  }

  /** Returns a number, or a reference that yields it if `field` is named like a secret. */
  hideNumber(number: Decimal, field: string): WrittenValue {
    return isSecretField(field) ? new Expr(`decimal(${this.#secret(field, number.text).text})`) : number;
  }

  #split(text: string): readonly (string | Expr)[] {
    const masked = text.split(MASK).map((part, at) => (at % 2 === 1 ? this.#masked(part) : part));
    return masked.flatMap((part) => (part instanceof Expr ? [part] : this.#hidden(part)));
  }

  #hidden(text: string): readonly (string | Expr)[] {
    for (const [value, name] of this.#values) {
      const at = text.indexOf(value);
      if (at >= 0)
        return [...this.#hidden(text.slice(0, at)), this.#secret(name, value), ...this.#hidden(text.slice(at + value.length))];
    }
    return text.split(OPENING).flatMap((part, at) => (at === 0 ? [part] : [DOLLAR, `{{${part}`]));
  }

  // tokenbook masked the secret with its name. If that is the name of a variable, it can be used as it is.
  #masked(name: string): Expr {
    return /^[A-Z\d_]+$/.test(name) ? this.#declare(name) : this.#secret(name, "");
  }

  // Each value is a separate secret.
  #secret(name: string, value: string): Expr {
    return this.#declare(this.#names.of(name, value));
  }

  #declare(name: string): Expr {
    if (!this.#declared.has(name)) this.#declared.set(name, `env:${this.#variables.of(name)}`);
    return new Expr(`secrets.${name}`);
  }
}

function variableName(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toUpperCase();
}
