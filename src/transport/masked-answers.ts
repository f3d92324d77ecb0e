import { masked, maskedText, type Redact } from "../base/secret.ts";
import type { MakeExchange } from "./exchange.ts";

/** Returns the same exchange with secrets masked in the answers, for commands that write down what a service says. */
export function withMaskedAnswers(exchange: MakeExchange, redact: Redact): MakeExchange {
  return async (outgoing) => {
    const exchanged = await exchange(outgoing);
    if (exchanged.kind !== "answered") return { ...exchanged, why: redact(exchanged.why) };
    const headers = masked(exchanged.headers, redact) as Readonly<Record<string, string>>;
    return { ...exchanged, headers, text: maskedText(exchanged.text, redact) };
  };
}
