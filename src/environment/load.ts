import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseDuration } from "../base/time/duration.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { isReference, redactor, Secret } from "../base/secret.ts";
import { didYouMean } from "../base/text/text.ts";
import { type Profile, profileWith, type ProfileOverrides } from "../contract/profile.ts";
import { plainView } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { readFound } from "../files/found.ts";
import { canonicalAddress } from "../protocol/heading.ts";
import { hasEntities, type Service, services } from "../services/services.ts";
import { SchemaSet } from "../schema/validator.ts";
import { type Diagnostic, formatDiagnostic } from "../source/diagnostic.ts";
import { child, entriesIn, type MapNode, nodeAt, type SourceNode, textOf, toJson } from "../source/node.ts";
import { placeEssential } from "../source/problems.ts";
import type { SourceFile } from "../source/file.ts";
import { parseUnshown } from "../source/unshown.ts";
import { type KeyReference, readServiceKey } from "./key.ts";
import { EMBEDDED, environmentSchema } from "./schema.ts";
import type { ServiceTarget, Target } from "./target.ts";
import { profileProblems } from "./profile-words.ts";
import { shownParts } from "./shown-parts.ts";
import { addressesOf, addressProblems, hiddenPartsOf, timeoutProblems, valuesOf } from "./values.ts";
import type { Variables } from "../base/variables.ts";

/** The name of the file that says where playbooks run. */
export const ENVIRONMENT_FILE = "tokenbook.yaml";
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Returns the environment file of a project: the nearest `tokenbook.yaml` in a folder or above it; `undefined` if there is none. The search
 * ends at the home folder and at the border of a file system, because the folders above may belong to other people.
 */
export function findEnvironmentFile(from: string): string | undefined {
  const home = placeOfFolder(homedir());
  let below: FolderPlace | undefined;
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const place = placeOfFolder(folder);
    if (below !== undefined && place?.device !== below.device) return undefined;
    const file = join(folder, ENVIRONMENT_FILE);
    if (existsSync(file)) return file;
    if (dirname(folder) === folder || (home !== undefined && place?.id === home.id)) return undefined;
    below = place;
  }
}

interface FolderPlace {
  readonly device: bigint;
  /** Identifies the home folder, whatever path leads to it. */
  readonly id: string;
}

function placeOfFolder(path: string): FolderPlace | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return { device: dev, id: `${dev} ${ino}` };
  } catch {
    return undefined; // it does not exist yet, or cannot be read
  }
}

/** An environment that uses the embedded sandbox. */
export interface EmbeddedEnvironment {
  /** Its name in tokenbook.yaml. */
  readonly sandbox: string;
}

/** The wanted environment of a file: by its name, or the first one. */
interface Wanted {
  readonly name: string | undefined;
  readonly cwd: string;
}

/** Reads an environment. Throws a Failure that shows each wrong line. */
export function loadEnvironment(path: string, chosen: Wanted & { readonly variables: Variables }): Target | EmbeddedEnvironment {
  const { file, root, name, node } = openEnvironment(path, chosen, "--env");
  if (textOf(node) === EMBEDDED) return { sandbox: name };
  return new TargetReader(file, root, { name, node, folder: dirname(path), variables: chosen.variables }).read();
}

/** Reads the profile of an environment. Its keys may be missing. Throws a Failure that shows each wrong line. */
export function loadProfile(path: string, chosen: Wanted): Profile {
  return profileOf(openEnvironment(path, chosen, "--profile").node);
}

/** What a file says about one environment, without needing its keys. */
export interface EnvironmentOutline {
  /** Its name in tokenbook.yaml. */
  readonly name: string;
  /** Whether it is the embedded sandbox. */
  readonly embedded: boolean;
  /** The organization of the entities that act; nothing of the embedded sandbox, which has its own. */
  readonly organization: string | undefined;
  /** The places of its keys; none for the embedded sandbox. */
  readonly keys: readonly KeyReference[];
}

/** Returns every environment of a file in order. Throws a Failure that shows each wrong line. */
export function outlineEnvironments(path: string, cwd: string): readonly EnvironmentOutline[] {
  const { file, root } = readEnvironmentFile(path, relative(cwd, path));
  return [...environmentsIn(root).entries].map(([name, { value }]) => ({
    name,
    embedded: textOf(value) === EMBEDDED,
    organization: organizationIn(value),
    keys: keysIn(value).map(({ name: key, setting, node }) => ({
      name: key,
      reference: textOf(node) ?? "",
      where: placeOf(file, root, ["environments", name, ...setting]),
    })),
  }));
}

function organizationIn(environment: SourceNode): string | undefined {
  const [service] = services.filter(hasEntities);
  return service && textOf(child(child(environment, service.name), service.identity.organization));
}

interface OpenedEnvironment {
  readonly file: SourceFile;
  readonly root: SourceNode;
  readonly name: string;
  readonly node: SourceNode;
}

const schemas = new SchemaSet();
const IF_EMPTY = { suggestion: "write environments: { sandbox: embedded }, or delete the file" };

/** Returns the content of a `tokenbook.yaml`. Throws a Failure that calls it `name` if it cannot be read, or others may have written it. */
export function environmentBytes(path: string, name: string): Buffer {
  try {
    return readFound({ path, name }, LIMITS.dataBytes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "file.unreadable",
      message: `${name} cannot be read: ${messageOf(error)}`,
      next: "give yourself the right to read it, or run the command as a user who has it",
      cause: error,
    });
  }
}

/** Reads an environment file, which messages call `shown`. Throws a Failure that shows each wrong line. */
export function readEnvironmentFile(path: string, shown: string): Pick<OpenedEnvironment, "file" | "root"> {
  const { file, root, diagnostics } = parseUnshown(shown, environmentBytes(path, shown).toString("utf8"));
  if (root === undefined)
    throw invalid(diagnostics.map((each) => (each.code === "source.empty" ? { ...each, ...IF_EMPTY } : each)));
  file.showOnly(shownParts(root));
  const broken = placeEssential(schemas.validator(environmentSchema)(toJson(root)), root);
  const problems = broken.length > 0 ? broken : [...addressProblems(root), ...timeoutProblems(root), ...profileProblems(root)];
  if (problems.length === 0) return { file, root };
  throw invalid(
    problems.toSorted((a, b) => a.range.start - b.range.start).map(({ finding, range }) => file.diagnose(finding, range)),
    root,
  );
}

function openEnvironment(path: string, chosen: Wanted, option: string): OpenedEnvironment {
  const { file, root } = readEnvironmentFile(path, relative(chosen.cwd, path));
  const environments = environmentsIn(root);
  const name = chosen.name ?? [...environments.entries.keys()][0] ?? "";
  const node = child(environments, name);
  if (node === undefined) throw unknownEnvironment(name, [...environments.entries.keys()], file.path, option);
  return { file, root, name, node };
}

function environmentsIn(root: SourceNode): MapNode {
  return child(root, "environments") as MapNode;
}

function profileOf(environment: SourceNode): Profile {
  const overrides = child(environment, "profile");
  return profileWith((overrides === undefined ? {} : plainView(toJson(overrides))) as ProfileOverrides);
}

interface Picked {
  readonly name: string;
  readonly node: SourceNode;
  readonly folder: string;
  readonly variables: Variables;
}

class TargetReader {
  readonly #file: SourceFile;
  readonly #root: SourceNode;
  readonly #chosen: Picked;

  constructor(file: SourceFile, root: SourceNode, chosen: Picked) {
    this.#file = file;
    this.#root = root;
    this.#chosen = chosen;
  }

  read(): Target {
    const { node, name } = this.#chosen;
    return {
      environment: name,
      embedded: false,
      ...Object.fromEntries(services.map((service) => [service.name, this.#service(service, child(node, service.name))])),
      profile: profileOf(node),
      exclusive: isSet(child(node, "exclusive")),
      protected: isSet(child(node, "protected")),
      settleWithinMs: parseDuration(textOf(child(node, "settleWithin")) ?? ""),
      readLagMs: parseDuration(textOf(child(node, "readLag")) ?? ""),
      pacing: pacingOf(child(node, "pacing")),
      timeoutMs: parseDuration(textOf(child(node, "timeout")) ?? "") ?? REQUEST_TIMEOUT_MS,
      whereIs: (setting) => this.#whereIs(setting),
    };
  }

  #service(service: Service, node: SourceNode | undefined): ServiceTarget | undefined {
    if (node === undefined) return undefined;
    const settings = Object.keys(service.settings).map((name) => [name, textOf(child(node, name)) ?? ""] as const);
    const common = { baseUrl: canonicalAddress(textOf(child(node, "baseUrl")) ?? ""), settings: Object.fromEntries(settings) };
    const keys = keysOf(service, node).map(
      ({ name, setting, node: key }) => [name, this.#secret(setting.join("."), name, key)] as const,
    );
    const [first] = keys;
    if (!hasEntities(service)) return { ...common, credentials: new Map(keys) };
    return first === undefined ? undefined : { ...common, apiKey: first[1], keyEntity: textOf(child(node, "keyEntity")) };
  }

  #secret(setting: string, name: string, node: SourceNode | undefined): Secret {
    const { folder, variables } = this.#chosen;
    return readServiceKey({ name, reference: textOf(node) ?? "", where: this.#whereIs(setting) }, { folder, variables });
  }

  #whereIs(setting: string): string {
    return placeOf(this.#file, this.#root, ["environments", this.#chosen.name, ...(setting === "" ? [] : setting.split("."))]);
  }
}

/** Returns the place of a setting: its file, its line, and its path. */
export function placeOf(file: SourceFile, root: SourceNode, path: readonly string[]): string {
  return `${file.path}:${file.lineOf(nodeAt(root, path).range.start)} (${path.join(".")})`;
}

/** The failure for an environment file that cannot be used. Its message shows every mistake. */
export class InvalidEnvironment extends Failure {
  /** Each mistake with its line. */
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super({ code: "environment.invalid", message: mistakes.join("\n\n") });
    this.mistakes = mistakes;
  }
}

/** Returns the failure for an environment file that cannot be used. It hides what is written in place of a secret's reference. */
export function invalid(diagnostics: readonly Diagnostic[], root?: SourceNode): InvalidEnvironment {
  const hide = redactor(root === undefined ? [] : literalKeys(root));
  return new InvalidEnvironment(diagnostics.map((each) => hide(formatDiagnostic(each))));
}

// A key that was written in place of a reference, or in an address, must not be printed with its line.
function literalKeys(root: SourceNode): readonly Secret[] {
  const nodes = valuesOf(root, "environments");
  const keys = nodes
    .flatMap((node) => keysIn(node).map(({ node: key }) => key))
    .concat(secretsOfNotifications(root))
    .flatMap((node) => textOf(node) ?? [])
    .filter((text) => text !== "" && !isReference(text));
  const inAddresses = nodes.flatMap((node) => addressesOf(node).flatMap(({ text }) => hiddenPartsOf(text)));
  return [...keys, ...inAddresses].map((text) => new WrittenOut("", text));
}

/** A secret that was written in place of a reference. */
class WrittenOut extends Secret {
  override toString(): string {
    return "********";
  }
}

interface KeyNode {
  readonly name: string;
  readonly setting: readonly string[];
  readonly node: SourceNode | undefined;
}

function isSet(node: SourceNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === true;
}

function keysIn(environment: SourceNode): readonly KeyNode[] {
  return services.flatMap((service) => {
    const node = child(environment, service.name);
    return node === undefined ? [] : keysOf(service, node);
  });
}

// The only key of an interface has a fixed name in masks. Others are named after their credentials.
function keysOf(service: Service, node: SourceNode): readonly KeyNode[] {
  const { name } = service;
  if (hasEntities(service))
    return [{ name: `${name.toUpperCase()}_API_KEY`, setting: [name, "apiKey"], node: child(node, "apiKey") }];
  const named = entriesIn(child(node, "credentials"));
  return named.map(([credential, { value }]) => ({ name: credential, setting: [name, "credentials", credential], node: value }));
}

function secretsOfNotifications(root: SourceNode): readonly (SourceNode | undefined)[] {
  const channels = entriesIn(child(root, "notifications"));
  return [child(root, "heartbeat"), ...channels.flatMap(([, { value }]) => [child(value, "secret"), child(value, "url")])];
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
