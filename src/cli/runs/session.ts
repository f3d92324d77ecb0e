import type { Clock } from "../../base/ports.ts";
import type { Redact } from "../../base/secret.ts";
import type { Target } from "../../environment/target.ts";
import type { EnginePorts } from "../../engine/engine-ports.ts";
import { ExchangeStore } from "../../exchanges/exchange-store.ts";
import { Recorder } from "../../exchanges/recorder.ts";
import { exchangingFor } from "../../exchanges/step-of-exchange.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { JournalStore } from "../../journal/store.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { StatePlace } from "../../sql/place.ts";
import { Later, type Observer } from "../../report/fanout.ts";
import type { Trace } from "../../report/otlp/trace.ts";
import { Transport } from "../../transport/exchange.ts";
import type { Course } from "../crash/course.ts";
import { failpointOf } from "../crash/failpoint.ts";
import { type DebugOption, openExchanges } from "../print/debug.ts";
import type { ReportRequest } from "../../report/formats/format.ts";
import type { Exchanges } from "../print/exchanges.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { assertMoved } from "./not-moved.ts";
import { secretsGivenTo } from "./given-secrets.ts";
import { openTarget, type OpenTarget } from "../project/open-target.ts";
import { statePlace, type Where } from "../project/state-place.ts";
import { Pacer } from "./run-queue.ts";
import type { Shell } from "../shell.ts";
import { isOn } from "../../base/variables.ts";

/** Everything that the runs of one command share: the target, and the journal of the state directory. Disposing of it closes both. */
export interface Session extends AsyncDisposable {
  /** Where runs act, with the keys. */
  readonly target: Target;
  /** The journal of the runs. */
  readonly store: JournalStore;
  /** Where runs and drifts are stored. */
  readonly state: StatePlace;
  /** Masks keys and the secrets of playbooks wherever they appear. */
  readonly redact: Redact;
  /** Makes one run with the shared connections. The observer receives its events, and the trace its exchanges. */
  readonly carry: <T>(observer: Observer, work: (ports: EnginePorts) => Promise<T>, trace?: Trace) => Promise<T>;
}

/** What several sessions of one command share. */
export interface Shared {
  /** A target that is already open. */
  readonly opened?: OpenTarget | undefined;
  /** Limits the reads of all runs to what the environment allows. */
  readonly pacer?: Pacer | undefined;
}

/** The options for storing the exchanges of runs. */
export interface KeepOptions {
  /** Stores the requests and answers of the runs. A report in HAR requires this too. */
  readonly keepExchanges?: boolean;
  /** The reports to write, each with its format and file. */
  readonly report?: readonly ReportRequest[];
}

const KEEP_VARIABLE = "TOKENBOOK_KEEP_EXCHANGES";

function keepsExchanges({ variables }: Pick<Shell, "variables">, { keepExchanges, report = [] }: KeepOptions): boolean {
  return keepExchanges === true || report.some(({ format }) => format === "har") || isOn(variables[KEEP_VARIABLE]);
}

/** Opens the target and the journal that the options name. Throws a Failure. */
export async function openSession(
  shell: ProjectShell,
  where: Where & DebugOption & KeepOptions & { readonly files?: readonly string[] },
  playbookSecrets: Secrets,
  { opened, pacer }: Shared = {},
): Promise<Session> {
  const state = statePlace(shell, where);
  assertMoved(shell, state, where.files);
  // If a later part cannot be opened, the earlier ones must be closed: an open one would keep the process from ending.
  await using opening = new AsyncDisposableStack();
  const exchanges = opening.use(await openExchanges(shell, where));
  const target = opened ?? opening.use(await openTarget(shell, where));
  const session = sessionOn(shell, target, {
    state,
    playbookSecrets,
    course: failpointOf(shell),
    exchanges,
    pacer,
    onAway: (why) => shell.stderr.write(`tokenbook: ${why}; waiting for it\n`),
    ...(keepsExchanges(shell, where)
      ? { onKept: (why: string) => shell.stderr.write(`tokenbook: no more exchanges are kept: ${why}\n`) }
      : {}),
  });
  opening.move();
  return session;
}

/** The parts of a session besides its target. */
export interface SessionParts {
  /** Where runs and drifts are stored. */
  readonly state: StatePlace;
  /** The secrets that the playbooks name. */
  readonly playbookSecrets: Secrets;
  /** Watches the points that the runs pass. */
  readonly course?: Course | undefined;
  /** Shows every exchange of the runs. */
  readonly exchanges?: Exchanges | undefined;
  /** Called when the connection to a database server is lost and we wait for it. */
  readonly onAway?: ((why: string) => void) | undefined;
  /** Set if the exchanges of the runs are stored. Called with the reason when storing them ends. */
  readonly onKept?: (why: string) => void;
  /** If left out, the session has its own. */
  readonly pacer?: Pacer | undefined;
  /** If left out, the clock of the state. */
  readonly clock?: Clock;
}

/** Opens a session on an open target. Closing the session closes the target and `exchanges`. If this throws, both stay open. */
export function sessionOn(
  shell: Pick<Shell, "cwd" | "stopping" | "onlooker">,
  opened: OpenTarget,
  { state, playbookSecrets, course, exchanges, onAway, onKept, clock, ...shared }: SessionParts,
): Session {
  const { target } = opened;
  const secrets = secretsGivenTo(target, typeof state === "string" ? playbookSecrets : playbookSecrets.with([state.url]));
  const { redact } = secrets;
  const pacer = shared.pacer ?? (target.pacing === undefined ? undefined : new Pacer(target.pacing));
  using opening = new DisposableStack();
  let book: DriftBook | undefined;
  opening.defer(() => book?.close());
  const store = opening.use(
    JournalStore.open(state, { clock, redact, watch: course?.watch, onAway, stopping: () => shell.stopping() }),
  );
  const drifts = (): DriftBook => (book ??= DriftBook.open(state, redact, (run) => store.runs.playbookInProject(run)));
  store.leases.releaseAbandoned();
  const kept = onKept === undefined ? undefined : opening.use(ExchangeStore.open(state));
  kept?.dropOld(store.clock.now());
  const transport = new Transport();
  const stores = opening.move();
  const direct: EnginePorts["exchange"] = (outgoing) => transport.exchange(outgoing, course?.sending(outgoing));
  return {
    target,
    store,
    state,
    redact,
    carry: async (observer, work, trace) => {
      const later = new Later(observer);
      const shown = exchanges?.of(secrets);
      const seen = shown?.around(direct) ?? direct;
      const recorder =
        kept && onKept && new Recorder(kept, { clock: store.clock, redact, environment: target.environment, onEnd: onKept });
      const watches = [recorder, trace].filter((each) => each !== undefined);
      const traced = watches.reduce<EnginePorts["exchange"]>((send, watch) => (outgoing) => watch.exchange(outgoing, send), seen);
      try {
        return await work({
          clock: store.clock,
          cwd: shell.cwd,
          secrets,
          exchange: pacer?.paced(traced) ?? traced,
          drifts,
          observe: (event) => {
            if (event.kind === "run.opened") recorder?.name(event.runId);
            shown?.event(event);
            shell.onlooker?.event(event);
            later.event(event);
          },
          ...(watches.length === 0 ? {} : { during: exchangingFor }),
          ...(shell.onlooker?.hold === undefined ? {} : { hold: shell.onlooker.hold }),
          stopping: shell.stopping(),
        });
      } finally {
        later.deliver();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      stores.dispose();
      exchanges?.[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}
