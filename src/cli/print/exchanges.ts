import { formatDuration } from "../../base/time/duration.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { harmless } from "../../base/text/harmless.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import type { Secret } from "../../base/secret.ts";
import { count, quoted } from "../../base/text/text.ts";
import { isoTime } from "../../base/time/date.ts";
import { openOutput } from "../../files/output.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { RunEvent } from "../../protocol/record.ts";
import { cut } from "../../report/formats/foreign-text.ts";
import type { Exchanged, MakeExchange, Outgoing } from "../../transport/exchange.ts";
import type { Terminal } from "../shell.ts";

type Printout = Pick<Terminal, "write">;

/** Prints each exchange with the service, with its request as a command that can be pasted. An error in printing does not affect the exchange. */
export class Exchanges {
  readonly #output: Printout;
  readonly #close: () => void;
  #isBroken = false;

  constructor(output: Printout, close: () => void = () => undefined) {
    this.#output = output;
    this.#close = close;
  }

  /** Writes to a new file that only its owner may read. Throws a Failure if the file cannot be written. */
  static inFile(path: string, name: string): Exchanges {
    try {
      const output = openOutput(path);
      return new Exchanges(output, output.close);
    } catch (error) {
      throw new Failure({
        code: "debug.cannot-write",
        message: `${name} cannot be written: ${messageOf(error)}`,
        next: "name a file of its own in a folder that exists: --debug=FILE.log",
        cause: error,
      });
    }
  }

  /** Returns the printer for one run, or for anything else that sends requests to the service. */
  of(secrets: Secrets): ShownExchanges {
    return new ShownExchanges(secrets, (text) => this.#show(text));
  }

  /** Closes the file, if the exchanges are written to one. */
  [Symbol.dispose](): void {
    this.#close();
  }

  #show(text: () => string): void {
    if (this.#isBroken) return;
    try {
      this.#output.write(text());
    } catch {
      this.#isBroken = true; // a full disk ends the printing, not the run
    }
  }
}

/** Prints the exchanges of one run, each with its step if the events of the run show it. */
class ShownExchanges {
  readonly #secrets: Secrets;
  readonly #show: (text: () => string) => void;
  readonly #active = new Set<string>();
  #file = "";

  constructor(secrets: Secrets, show: (text: () => string) => void) {
    this.#secrets = secrets;
    this.#show = show;
  }

  /** Receives an event of the run, to know which steps are under way. */
  event(event: RunEvent): void {
    if (event.kind === "run.opened") this.#file = event.playbook.file;
    if (event.kind === "step.started" || event.kind === "attempt.intended") this.#active.add(event.step);
    if (event.kind === "step.completed" || event.kind === "step.stopped") this.#active.delete(event.step);
  }

  /** Returns the same exchange, which is printed when it has ended. */
  around(exchange: MakeExchange): MakeExchange {
    return async (outgoing) => {
      const [at, begun, steps] = [systemClock.now(), systemClock.elapsed(), [...this.#active]];
      const exchanged = await exchange(outgoing);
      const durationMs = systemClock.elapsed() - begun;
      this.#show(() => this.#block({ at, steps, outgoing, exchanged, durationMs }));
      return exchanged;
    };
  }

  #block({ at, steps, outgoing, exchanged, durationMs }: Seen): string {
    const { redact } = this.#secrets;
    const of = [this.#file, steps.join(" | ")].filter((part) => part !== "").join(" ");
    const body = outgoing.body === undefined ? undefined : bounded(redact(outgoing.body));
    const lines = [
      `${isoTime(at)}  ${of}`.trimEnd(),
      ...(outgoing.fresh ? ["# a write: pasted, it would be sent once more"] : []),
      this.#curl(outgoing, body),
      ...outcomeLines(exchanged, outgoing, durationMs),
      ...(exchanged.kind === "answered" && exchanged.text !== "" ? bounded(redact(exchanged.text)).split("\n") : []),
    ];
    return `${harmless(redact(lines.join("\n  ")))}\n\n`;
  }

  #curl({ origin, method, path, headers }: Outgoing, body: string | undefined): string {
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    const words = [
      "curl",
      "-sS",
      ...(method === "GET" ? [] : ["-X", method]),
      `${origin}${path}`,
      ...sent.flatMap((header) => ["-H", header]),
      ...(body === undefined ? [] : ["-H", "content-type: application/json", "--data-raw", body]),
    ];
    const { all, redact } = this.#secrets;
    return words.map((word) => shellWord(redact(word), all)).join(" ");
  }
}

interface Seen {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly steps: readonly string[];
  readonly outgoing: Outgoing;
  readonly exchanged: Exchanged;
  readonly durationMs: number;
}

function outcomeLines(exchanged: Exchanged, { body = "" }: Outgoing, durationMs: number): readonly string[] {
  const duration = formatDuration(Math.round(durationMs));
  if (exchanged.kind === "not-sent") return [`not sent, after ${duration}: ${exchanged.why}`];
  if (exchanged.kind === "no-answer") return [`no answer, after ${duration}: ${exchanged.why}`];
  const received = Buffer.byteLength(exchanged.text) + (exchanged.usedBytes ?? 0);
  const rest = exchanged.usedBytes === undefined ? "" : ", the end is shown";
  const sizes = `${count(Buffer.byteLength(body), "byte")} sent, ${count(received, "byte")} received${rest}`;
  const type = exchanged.headers["content-type"];
  return [`HTTP ${exchanged.status} in ${duration}, ${sizes}${type === undefined ? "" : ` (${type})`}`];
}

// The text is masked before it is cut, because half a secret would not be recognized.
function bounded(text: string): string {
  const more = text.length - LIMITS.debugBodyChars;
  return more <= 0 ? text : `${cut(text, LIMITS.debugBodyChars)} (${count(more, "character")} more)`;
}

/** Quotes a word for a shell. Each mask of a secret becomes the variable that holds the secret. */
function shellWord(word: string, secrets: readonly Secret[]): string {
  const pieces = word.split(/(\$\{\{ secrets\.[^}]* \}\})/).map((piece) => {
    const secret = secrets.find((each) => String(each) === piece);
    return secret === undefined ? piece && quoted(piece) : `"$${(secret.variable ?? secret.name).replaceAll(/\W/g, "_")}"`;
  });
  return pieces.join("");
}
