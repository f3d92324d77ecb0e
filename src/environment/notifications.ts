import { dirname, join, relative } from "node:path";
import { parseDuration } from "../base/time/duration.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { isReference, Secret } from "../base/secret.ts";
import { didYouMean } from "../base/text/text.ts";
import type { SourceFile } from "../source/file.ts";
import { child, entriesIn, type Range, type SourceNode, startOf, textOf } from "../source/node.ts";
import type { PlacedFinding } from "../source/problems.ts";
import { readKey } from "./key.ts";
import { invalid, placeOf, readEnvironmentFile } from "./load.ts";
import { EVENTS } from "./schema.ts";
import type { Variables } from "../base/variables.ts";

/** A place for notifications, with the events that it receives. */
export type Channel = WebhookChannel | CommandChannel;

interface ChannelCommon {
  readonly name: string;
  readonly events: readonly string[];
  readonly timeoutMs: number;
}

/** A POST to a web address. The address is a secret too, because many addresses contain a token. */
export interface WebhookChannel extends ChannelCommon {
  readonly kind: "webhook";
  /** The address to which it is posted. */
  readonly url: Secret;
  /** The key that signs the deliveries. */
  readonly secret: Secret | undefined;
}

/** A command on this machine, which receives the notification on stdin. */
export interface CommandChannel extends ChannelCommon {
  readonly kind: "command";
  /** The program and its arguments. If the program begins with a dot, it is relative to the folder of the environment file. */
  readonly argv: readonly [string, ...string[]];
}

/** Who is notified about scheduled runs. */
export interface Listeners {
  /** The wanted channels, in the order of the file. */
  readonly channels: readonly Channel[];
  /** The names of all channels of the file, including unwanted ones. */
  readonly declared: readonly string[];
  /** The address of a monitoring service that each firing pings. It is a secret, because it contains a token. */
  readonly heartbeat: Secret | undefined;
}

/** The wanted channels, and the events that they may ask for. */
interface ChannelChoice {
  readonly cwd: string;
  readonly variables: Variables;
  /** The names of the wanted channels; by default all. */
  readonly names?: readonly string[] | undefined;
}

/** Reads from an environment file who is notified about scheduled runs. Throws a Failure that shows each wrong line. */
export function loadListeners(path: string, { cwd, variables, names }: ChannelChoice): Listeners {
  const shown = relative(cwd, path);
  const { file, root } = readEnvironmentFile(path, shown);
  const all = entriesIn(child(root, "notifications"));
  const wrong = all.flatMap(([, { value }]) => problemsOf(value));
  if (wrong.length > 0) {
    throw invalid(
      wrong.map(({ finding, range }) => file.diagnose(finding, range)),
      root,
    );
  }
  const known = all.map(([name]) => name);
  for (const name of names ?? []) if (!known.includes(name)) throw unknownChannel(name, known, shown);
  const from = { folder: dirname(path), file, root, variables };
  const wanted = all.filter(([name]) => names?.includes(name) ?? true);
  const heartbeat = textOf(child(root, "heartbeat"));
  return {
    channels: wanted.map(([name, { value }]) => readChannel(name, value, from)),
    declared: known,
    heartbeat: heartbeat === undefined ? undefined : readAddress("heartbeat", heartbeat, from),
  };
}

/** Returns the secrets of listeners, for the redactor. */
export function secretsOfListeners({ channels, heartbeat }: Listeners): readonly Secret[] {
  const all = channels.flatMap((channel) => (channel.kind === "command" ? [] : [channel.url, channel.secret]));
  return [heartbeat, ...all].filter((secret) => secret !== undefined);
}

// A channel is either a webhook or a command. The schema allows both together, because otherwise it would report each as a wrong form of
// the other.
function problemsOf(node: SourceNode): readonly PlacedFinding[] {
  if (node.kind !== "map") return [];
  const [url, command, secret] = ["url", "command", "secret"].map((name) => node.entries.get(name));
  if (url === undefined && command === undefined)
    return [
      { finding: { code: "schema.missing-field", message: 'the field "url" or "command" is missing' }, range: startOf(node) },
    ];
  if (url !== undefined && command !== undefined)
    return unknown("a notification goes to a url or a command: write a second one", command.key);
  return secret !== undefined && url === undefined ? unknown("only deliveries to a url are signed", secret.key) : [];
}

function unknown(message: string, range: Range): readonly PlacedFinding[] {
  return [{ finding: { code: "schema.unknown-field", message }, range }];
}

interface ChannelSource {
  readonly folder: string;
  readonly file: SourceFile;
  readonly root: SourceNode;
  readonly variables: Variables;
}

function readChannel(name: string, node: SourceNode, from: ChannelSource): Channel {
  const common: ChannelCommon = {
    name,
    events: textsOf(child(node, "events")) ?? EVENTS,
    timeoutMs: parseDuration(textOf(child(node, "timeout")) ?? "") ?? LIMITS.notificationMs,
  };
  const [program, ...args] = textsOf(child(node, "command")) ?? [];
  if (program !== undefined) {
    const path = program.startsWith(".") ? join(from.folder, program) : program;
    return { ...common, kind: "command", argv: [path, ...args] };
  }
  const field = (of: string): string => `notifications.${name}.${of}`;
  const secret = textOf(child(node, "secret"));
  return {
    ...common,
    kind: "webhook",
    url: readAddress(field("url"), textOf(child(node, "url")) ?? "", from),
    secret: secret === undefined ? undefined : readSigningKey(field("secret"), secret, from),
  };
}

// Characters that are not base64 would silently be left out of the key.
function readSigningKey(name: string, reference: string, from: ChannelSource): Secret {
  const where = place(name, from);
  const key = readKey({ name, reference, where }, from);
  const [, encoded] = /^whsec_(.*)$/s.exec(key.reveal()) ?? [];
  if (
    encoded === undefined ||
    Buffer.from(encoded, "base64").toString("base64") === encoded.padEnd(Math.ceil(encoded.length / 4) * 4, "=")
  )
    return key;
  throw new Failure({
    code: "notifications.secret",
    message: `${where} begins with whsec_, and what follows is not base64`,
    why: "deliveries would be signed by a weaker key, which the receiver does not have; its value is not shown",
    next: "give the secret as the receiver shows it",
  });
}

// Reads the address, or the secret to which a reference leads.
function readAddress(setting: string, text: string, from: ChannelSource): Secret {
  const where = place(setting, from);
  return webAddress(
    isReference(text) ? readKey({ name: setting, reference: text, where }, from) : new Secret(setting, text),
    where,
  );
}

function place(setting: string, { file, root }: ChannelSource): string {
  return placeOf(file, root, setting.split("."));
}

function webAddress(url: Secret, where: string): Secret {
  if (/^https?:$/.test(URL.parse(url.reveal())?.protocol ?? "")) return url;
  throw new Failure({
    code: "notifications.url",
    message: `${where} is no web address`,
    why: "it must begin with https:// or http://; its value is not shown, because it may hold a token",
    next: "give the whole address",
  });
}

function textsOf(node: SourceNode | undefined): readonly string[] | undefined {
  return node?.kind === "list" ? node.items.flatMap((item) => textOf(item) ?? []) : undefined;
}

function unknownChannel(name: string, known: readonly string[], file: string): Failure {
  const near = didYouMean(name, known);
  return new Failure({
    code: "notifications.unknown",
    message: `${file} has no notifications "${name}"`,
    next: known.length === 0 ? `declare it under notifications: in ${file}` : `--notify ${near ?? known.join(" | ")}`,
  });
}
