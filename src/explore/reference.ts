import { writeJson } from "../base/json/json.ts";
import type { Clock } from "../base/ports.ts";
import { type LocalLedgerOptions, openLocalLedger } from "../sandbox/local-ledger.ts";
import { Asker, bodyText } from "./ask.ts";

/** What the reference shares with the service: names and settings, but no content. */
export type ReferenceOptions = Omit<LocalLedgerOptions, "clock">;

const STEP_MS = 10;

/** A sandbox that nobody else uses, which decides what the answers must be. */
interface OpenReference extends Disposable {
  /** Makes calls to the reference in the same way as to a service. */
  readonly asker: Asker;
}

/** Opens a reference in this process. Its time only passes with each call. */
export function openReference(options: ReferenceOptions): OpenReference {
  const clock = countingClock();
  const ledger = openLocalLedger({ ...options, clock });
  const asker = new Asker(
    async ({ call }, request) => {
      const [, query = ""] = request.path.split("?");
      const { status, body } = await ledger.answer({
        operation: call,
        query,
        headers: lowered(request.headers),
        body: bodyText(request),
      });
      return { status, text: body === undefined ? "" : writeJson(body) };
    },
    { profile: options.profile, clock },
  );
  return { asker, [Symbol.dispose]: ledger.close };
}

function countingClock(): Clock {
  let now = Date.now();
  const tick = (): number => (now += STEP_MS);
  return { now: tick, elapsed: tick, uptime: () => undefined, sleep: async () => void tick() };
}

function lowered(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
