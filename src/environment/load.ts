import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { parseDuration } from "../base/duration.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { Secret } from "../base/secret.ts";
import { didYouMean } from "../base/text.ts";
import { type Profile, profileWith, type ProfileOverrides } from "../contract/profile.ts";
import { plainView } from "../base/json.ts";
import { SchemaSet } from "../schema/validator.ts";
import { type Diagnostic, formatDiagnostic } from "../source/diagnostic.ts";
import { child, type MapNode, nodeAt, type SourceNode, textOf, toJson } from "../source/node.ts";
import { essential, placeProblem } from "../source/problems.ts";
import { parseYaml, type SourceFile } from "../source/yaml.ts";
import { EMBEDDED, environmentSchema } from "./schema.ts";
import type { InvestorTarget, LedgerTarget, Target } from "./target.ts";

/** The name of the file that says where playbooks run. */
export const ENVIRONMENT_FILE = "tokenbook.yaml";
const REQUEST_TIMEOUT_MS = 30_000;
const LEAST_KEY_CHARS = LIMITS.secretLeastChars;

/** Values of environment variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The environment file of a project: the nearest `tokenbook.yaml` at or above a folder; `undefined` when there is none. */
export function findEnvironmentFile(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, ENVIRONMENT_FILE);
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

/** An environment that is the sandbox inside of tokenbook. */
export interface EmbeddedEnvironment {
  readonly sandbox: string;
}

/** Which environment of a file is meant: of this name, or the first. */
interface Choice {
  readonly name: string | undefined;
  readonly cwd: string;
}

/** Reads an environment. Throws a Failure that shows each line to mend. */
export function loadEnvironment(path: string, chosen: Choice & { readonly variables: Variables }): Target | EmbeddedEnvironment {
  const { file, root, name, node } = openEnvironment(path, chosen, "--env");
  if (textOf(node) === EMBEDDED) return { sandbox: name };
  return new TargetReader(file, root, { name, node, folder: dirname(path), variables: chosen.variables }).read();
}

/** Reads the profile of an environment, which may name keys that are not here. Throws a Failure that shows each line to mend. */
export function loadProfile(path: string, chosen: Choice): Profile {
  return profileOf(openEnvironment(path, chosen, "--profile").node);
}

interface Opened {
  readonly file: SourceFile;
  readonly root: SourceNode;
  readonly name: string;
  readonly node: SourceNode;
}

function openEnvironment(path: string, chosen: Choice, option: string): Opened {
  const shown = relative(chosen.cwd, path);
  const { file, root, diagnostics } = parseYaml(shown, readFileSync(path, "utf8"));
  if (root === undefined) throw invalid(diagnostics);
  const broken = essential(new SchemaSet().validator(environmentSchema)(toJson(root)));
  const problems = broken.map((problem) => placeProblem(problem, root));
  if (problems.length > 0)
    throw invalid(
      problems.map(({ finding, range }) => file.diagnose(finding, range)),
      literalKeys(root),
    );
  const environments = child(root, "environments") as MapNode;
  const name = chosen.name ?? [...environments.entries.keys()][0] ?? "";
  const node = child(environments, name);
  if (node === undefined) throw unknownEnvironment(name, [...environments.entries.keys()], shown, option);
  return { file, root, name, node };
}

function profileOf(environment: SourceNode): Profile {
  const overrides = child(environment, "profile");
  return profileWith((overrides === undefined ? {} : plainView(toJson(overrides))) as ProfileOverrides);
}

interface Chosen {
  readonly name: string;
  readonly node: SourceNode;
  readonly folder: string;
  readonly variables: Variables;
}

class TargetReader {
  readonly #file: SourceFile;
  readonly #root: SourceNode;
  readonly #chosen: Chosen;

  constructor(file: SourceFile, root: SourceNode, chosen: Chosen) {
    this.#file = file;
    this.#root = root;
    this.#chosen = chosen;
  }

  read(): Target {
    const { node, name } = this.#chosen;
    const exclusive = child(node, "exclusive");
    return {
      environment: name,
      embedded: false,
      ledger: this.#ledger(child(node, "ledger")),
      investor: this.#investor(child(node, "investor")),
      profile: profileOf(node),
      exclusive: exclusive?.kind === "scalar" && exclusive.value === true,
      settleWithinMs: parseDuration(textOf(child(node, "settleWithin")) ?? ""),
      pacing: pacingOf(child(node, "pacing")),
      timeoutMs: parseDuration(textOf(child(node, "timeout")) ?? "") ?? REQUEST_TIMEOUT_MS,
      whereIs: (setting) => this.#whereIs(setting),
    };
  }

  #ledger(node: SourceNode | undefined): LedgerTarget | undefined {
    if (node === undefined) return undefined;
    return {
      baseUrl: trimSlash(textOf(child(node, "baseUrl"))),
      appId: textOf(child(node, "appId")) ?? "",
      orgId: textOf(child(node, "orgId")) ?? "",
      apiKey: this.#secret("ledger.apiKey", "LEDGER_API_KEY", child(node, "apiKey")),
    };
  }

  #investor(node: SourceNode | undefined): InvestorTarget | undefined {
    const credentials = child(node, "credentials");
    if (credentials?.kind !== "map") return undefined;
    const secrets = [...credentials.entries].map(
      ([name, { value }]) => [name, this.#secret(`investor.credentials.${name}`, name, value)] as const,
    );
    return { baseUrl: trimSlash(textOf(child(node, "baseUrl"))), credentials: new Map(secrets) };
  }

  #secret(setting: string, name: string, node: SourceNode | undefined): Secret {
    const reference = textOf(node) ?? "";
    const at = reference.indexOf(":");
    const [kind, place] = [reference.slice(0, at), reference.slice(at + 1)];
    const value = kind === "env" ? this.#chosen.variables[place] : this.#fileText(setting, place);
    const key = value?.trim() ?? "";
    if (key.length >= LEAST_KEY_CHARS) return new Secret(name, key);
    if (key !== "") throw this.#tooShort(setting, place);
    throw new Failure({
      code: "environment.key-missing",
      message: kind === "env" ? `the environment variable ${place} is not set` : `the file ${place} is empty`,
      why: `${this.#whereIs(setting)} takes the key from there`,
      next: kind === "env" ? `export ${place}=…` : `write the key into ${place}`,
    });
  }

  #tooShort(setting: string, place: string): Failure {
    return new Failure({
      code: "environment.key-short",
      message: `the key in ${place} has fewer than ${LEAST_KEY_CHARS} characters`,
      why: `a key is masked wherever it might be printed, and one this short would mask other words too (${this.#whereIs(setting)})`,
      next: "use a longer key",
    });
  }

  #fileText(setting: string, place: string): string {
    const path = isAbsolute(place) ? place : join(this.#chosen.folder, place);
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      throw new Failure({
        code: "environment.key-missing",
        message: `the key file ${place} cannot be read: ${messageOf(error)}`,
        why: `${this.#whereIs(setting)} takes the key from there`,
        next: `write the key into ${path}`,
      });
    }
  }

  #whereIs(setting: string): string {
    const path = ["environments", this.#chosen.name, ...(setting === "" ? [] : setting.split("."))];
    const node = nodeAt(this.#root, path);
    return `${this.#file.path}:${this.#file.lineOf(node.range.start)} (${path.join(".")})`;
  }
}

function trimSlash(url: string | undefined): string {
  return (url ?? "").replace(/\/+$/, "");
}

function invalid(diagnostics: readonly Diagnostic[], hidden: readonly string[] = []): Failure {
  const shown = diagnostics.map(formatDiagnostic).join("\n\n");
  return new Failure({
    code: "environment.invalid",
    message: hidden.reduce((text, key) => text.replaceAll(key, () => "********"), shown),
  });
}

// A key that somebody wrote where a reference belongs must not be printed again with its line.
function literalKeys(root: SourceNode): readonly string[] {
  const environments = child(root, "environments");
  const nodes = environments?.kind === "map" ? [...environments.entries.values()].map(({ value }) => value) : [];
  return nodes
    .flatMap((node) => {
      const credentials = child(child(node, "investor"), "credentials");
      const named = credentials?.kind === "map" ? [...credentials.entries.values()].map(({ value }) => value) : [];
      return [child(child(node, "ledger"), "apiKey"), ...named];
    })
    .flatMap((node) => textOf(node) ?? [])
    .filter((text) => text !== "" && !/^(env|file):/.test(text));
}

function unknownEnvironment(name: string, known: readonly string[], file: string, option: string): Failure {
  const near = didYouMean(name, known);
  return new Failure({
    code: "environment.unknown",
    message: `${file} has no environment "${name}"`,
    next: `${option} ${near ?? known.join(" | ")}`,
  });
}

function pacingOf(node: SourceNode | undefined): Target["pacing"] {
  if (node === undefined) return undefined;
  const number = (field: string): number | undefined => {
    const value = child(node, field);
    return value?.kind === "scalar" && value.value !== null ? Number(value.value) : undefined;
  };
  return { perSecond: number("perSecond"), atOnce: number("atOnce") };
}
