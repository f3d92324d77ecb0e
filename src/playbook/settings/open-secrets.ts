import { Failure, invariant } from "../../base/failure.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Redact, redactor, Secret } from "../../base/secret.ts";
import { refusalOf } from "../file-placement.ts";
import { type FileReader, resolveFrom } from "../playbook-files.ts";
import type { Playbook } from "../model.ts";
import type { SecretDeclaration } from "../declarations.ts";
import { playbooksIn } from "../playbook-walk.ts";
import type { Variables } from "../../base/variables.ts";

// The values that playbooks take from the process. They are read once, before anything is sent.

/** The texts of `env`, by the file of the playbook that declares them and by name. */
export type Env = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns the variables of a playbook and of all that it includes. Throws a Failure that names each line whose variable must be set. */
export function openEnv(playbook: Playbook, variables: Variables): Env {
  const missing: { readonly name: string; readonly place: string }[] = [];
  const files = playbooksIn(playbook).flatMap(({ file, env }) => {
    const values = env.map(({ name, default: otherwise, line }): [string, string] => {
      const value = variables[name] ?? otherwise;
      if (value === undefined) missing.push({ name, place: `${file}:${line} (env.${name})` });
      return [name, value ?? ""];
    });
    return values.length === 0 ? [] : [[file, Object.fromEntries(values)] as const];
  });
  if (missing.length === 0) return Object.fromEntries(files);
  const places = missing.map(({ place }) => place).join(", ");
  const names = new Set(missing.map(({ name }) => `${name}=…`));
  const [are, it] =
    missing.length === 1 ? ["a variable without a default is", "it"] : ["variables without a default are", "them"];
  throw new Failure({
    code: "env.missing",
    message: `${are} not set: ${places}`,
    why: "nothing was sent",
    next: `export ${[...names].join(" ")}, or give ${it} a default`,
  });
}

type SecretsByFile = ReadonlyMap<string, readonly Secret[]>;

/** The secrets of playbooks. Only expressions see their values. */
export class Secrets {
  /** The secrets of all playbooks, then those that belong to no playbook. */
  readonly all: readonly Secret[];
  /** Masks all of these secrets in a text. */
  readonly redact: Redact;
  readonly #byFile: SecretsByFile;
  readonly #others: readonly Secret[];
  /** The real secrets, even if expressions get other values. */
  readonly #undisguised: SecretsByFile;

  /** `others` belong to no playbook: they are masked too, but no expression sees them. */
  constructor(byFile: SecretsByFile, others: readonly Secret[] = [], undisguised: SecretsByFile = byFile) {
    this.all = [...byFile.values(), others].flat();
    this.redact = redactor(this.all);
    this.#byFile = byFile;
    this.#others = others;
    this.#undisguised = undisguised;
  }

  /** Returns the same secrets with more that belong to no playbook, such as those of a target. */
  with(others: readonly Secret[]): Secrets {
    return new Secrets(this.#byFile, [...this.#others, ...others], this.#undisguised);
  }

  /** Returns the same names with other values for expressions. */
  disguised(disguise: (value: string) => string): Secrets {
    const byFile = Array.from(this.#byFile, ([file, secrets]): [string, readonly Secret[]] => [
      file,
      secrets.map((secret) => new Secret(secret.name, disguise(secret.reveal()), secret.variable)),
    ]);
    return new Secrets(new Map(byFile), [], this.#undisguised);
  }

  /** Returns the value of `secrets` in the playbook of a file. */
  in(file: string): JsonObject {
    return Object.fromEntries((this.#byFile.get(file) ?? []).map((secret) => [secret.name, secret.reveal()]));
  }

  /** Returns a real secret of a file's playbook, for uses in which the service never receives it. */
  named(file: string, name: string): Secret {
    const secret = this.#undisguised.get(file)?.find((each) => each.name === name);
    invariant(secret !== undefined, `${file} has the secret ${name}`);
    return secret;
  }

  /** Returns the mask in a text, if it has one: the journal keeps masks, not secrets. */
  maskIn(text: string): string | undefined {
    return this.all.map(String).find((mask) => text.includes(mask));
  }
}

/** The secrets of no playbook. */
export const NO_SECRETS: Secrets = new Secrets(new Map());

/** Reads the secrets of playbooks and of all that they include. Throws a single Failure that names each line whose secret is missing. */
export function openSecrets(playbooks: readonly Playbook[], from: { variables: Variables; files: FileReader }): Secrets {
  const wrong: UnusableSecret[] = [];
  const all = new Map(
    playbooks.flatMap((named) => playbooksIn(named).map(({ file, secrets }) => [file, { secrets, named: named.file }])),
  );
  const byFile = Array.from(all, ([file, { secrets, named }]): [string, readonly Secret[]] => {
    const found = secrets.map((declaration) => {
      const read = readSecret({ file, named }, declaration, from);
      if ("why" in read) wrong.push({ declaration, line: `${file}:${declaration.line} (${declaration.written}): ${read.why}` });
      const variable = declaration.from === "variable" ? declaration.place : undefined;
      return new Secret(declaration.name, "value" in read ? read.value : "", variable);
    });
    return [file, found];
  });
  if (wrong.length === 0) return new Secrets(new Map(byFile));
  throw unusable(wrong);
}

interface UnusableSecret {
  readonly declaration: SecretDeclaration;
  /** Where it is written, and why it cannot be used. */
  readonly line: string;
}

function unusable(wrong: readonly UnusableSecret[]): Failure {
  const lines = wrong.map(({ line }) => line);
  const [first, ...others] = new Set(wrong.map(({ declaration }) => (declaration.isAddress ? "address" : "secret")));
  const several = others.length > 0 ? "secrets and addresses" : first === "address" ? "addresses" : "secrets";
  const isInFile = wrong.some(({ declaration }) => declaration.from === "file");
  return new Failure({
    code: "secret.missing",
    message:
      lines.length === 1
        ? `${first === "address" ? "an address" : "a secret"} cannot be used: ${lines[0]}`
        : `${several} cannot be used:\n${lines.join("\n")}`,
    why: "nothing was sent",
    next: `set the variable${isInFile ? " or write the file" : ""}, with at least ${LIMITS.secretLeastChars} characters; then run the same command again`,
  });
}

type ReadSecret = { readonly value: string } | { readonly why: string };

function readSecret(
  { file, named }: { readonly file: string; readonly named: string },
  { from, place }: SecretDeclaration,
  { variables, files }: { variables: Variables; files: FileReader },
): ReadSecret {
  if (from === "variable") {
    const value = variables[place];
    return value === undefined ? { why: `the environment variable ${place} is not set` } : usable(value, place);
  }
  const path = resolveFrom(file, place);
  const refusal = refusalOf(files, { path, use: "secret", named });
  if (refusal !== undefined) return { why: `${path} ${refusal.message}: give its value by a variable, env:NAME` };
  try {
    const text = files.read(path);
    return text === undefined ? { why: `there is no file ${path}` } : usable(text, path);
  } catch (error) {
    if (error instanceof Failure) return { why: error.message };
    throw error;
  }
}

// A shorter secret would also mask other words.
function usable(text: string, place: string): ReadSecret {
  const value = text.trim();
  if (value.length >= LIMITS.secretLeastChars) return { value };
  if (value === "") return { why: `${place} is empty` };
  return { why: `the secret in ${place} has fewer than ${LIMITS.secretLeastChars} characters, too few to be masked` };
}
