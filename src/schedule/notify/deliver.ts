import { messageOf } from "../../base/failure.ts";
import type { Clock } from "../../base/ports.ts";
import type { Redact } from "../../base/secret.ts";
import type { Channel, CommandChannel, WebhookChannel } from "../../environment/notifications.ts";
import type { Letter } from "./outbox.ts";
import { post } from "./post.ts";
import { signedHeaders } from "./signature.ts";

/** How a command ended: on its own, or by a signal. */
export interface CommandEnd {
  /** Its exit code; null if a signal ended it. */
  readonly code: number | null;
  /** The name of the signal that ended it; null if it ended on its own. */
  readonly signal: string | null;
  /** The first `LIMITS.childErrorChars` characters of its stderr. */
  readonly stderr: string;
}

/** Starts a command with a text on its stdin, and kills it when the signal is aborted. */
export type StartCommand = (
  argv: readonly [string, ...string[]],
  given: { readonly input: string; readonly kill: AbortSignal },
) => Promise<CommandEnd>;

/** The ports of a delivery. */
export interface DeliveryPorts {
  /** The wall clock, because a signed delivery states when it was sent. */
  readonly clock: Pick<Clock, "now">;
  /** Starts the command of a channel. */
  readonly start: StartCommand;
  /** Masks keys in the error output of a command. */
  readonly redact: Redact;
}

/** Delivers a notification. Returns why it could not be delivered; nothing if it was. Never throws. */
export async function deliver(letter: Letter, channel: Channel, ports: DeliveryPorts): Promise<string | undefined> {
  try {
    return channel.kind === "webhook" ? await send(letter, channel, ports) : await give(letter, channel, ports);
  } catch (error) {
    return messageOf(error);
  }
}

async function send(
  letter: Letter,
  { url, secret, timeoutMs }: WebhookChannel,
  { clock }: DeliveryPorts,
): Promise<string | undefined> {
  const headers = signedHeaders(letter, secret?.reveal(), clock.now());
  return post(new URL(url.reveal()), { headers, body: letter.body, timeoutMs });
}

async function give(
  letter: Letter,
  { argv, timeoutMs }: CommandChannel,
  { start, redact }: DeliveryPorts,
): Promise<string | undefined> {
  const kill = AbortSignal.timeout(timeoutMs);
  const { code, signal, stderr } = await start(argv, { input: `${letter.body}\n`, kill });
  if (code === 0) return undefined;
  if (kill.aborted) return `it did not end within ${timeoutMs} ms`;
  return `${code === null ? `it was killed by ${signal}` : `exit ${code}`}${stderr === "" ? "" : `: ${redact(stderr.trim()).slice(0, SHOWN_CHARS)}`}`;
}

const SHOWN_CHARS = 500;
