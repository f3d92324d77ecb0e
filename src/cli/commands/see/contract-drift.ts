import { resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { count, didYouMean } from "../../../base/text/text.ts";
import { isoTime } from "../../../base/time/date.ts";
import { ContractCheck, type ContractFinding, FINDINGS } from "../../../coverage/findings.ts";
import { ExchangeStore } from "../../../exchanges/exchange-store.ts";
import type { KeptExchange } from "../../../exchanges/kept.ts";
import { IF_HAR_TOO_LARGE, readHar } from "../../../exchanges/read-har.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import { knownStatePlace, type MemoryOptions, statePlace } from "../../project/state-place.ts";
import { readText } from "../../project/read-file.ts";
import { printData, printLines } from "../../print/result.ts";
import type { Command } from "../../shell.ts";
import { profileHere } from "./coverage.ts";

interface ContractDriftOptions extends MemoryOptions {
  readonly har?: string;
  readonly env?: string;
}

/** `tokenbook contract drift`: where answers differ from the contract. Exits with 3 when something was not known before. */
export const contractDrift: Command<ContractDriftOptions> = async (plainShell, options) => {
  const shell = inProjectHere(plainShell);
  const { har, env } = options;
  if (har === undefined && env === undefined) {
    throw new Failure({
      code: "contract.which",
      message: "name the environment whose kept exchanges to check, or an HTTP Archive",
      next: [command`contract drift --env staging`, "or:", command`contract drift --har session.har`],
    });
  }
  const recorded = har === undefined ? undefined : readHar(readText(resolve(shell.cwd, har), har, IF_HAR_TOO_LARGE), har);
  const place = har === undefined ? knownStatePlace(shell, options) : statePlace(shell, options);
  using store = ExchangeStore.open(place);
  const environment = env ?? `har ${originOf(recorded ?? [])}`;
  const check = new ContractCheck(profileHere(shell, environment));
  let exchanges = 0;
  let compared = 0;
  for (const exchange of recorded ?? store.in(environment)) {
    exchanges++;
    if (check.take(exchange)) compared++;
  }
  if (exchanges === 0 && har === undefined) throw nothingKept(environment, store.environments());
  if (compared === 0) throw nothingCompared(exchanges, har ?? environment);
  const findings = check.findings();
  const now = store.clock.now();
  const ids = findings.map(({ id }) => id);
  const known = store.remember(environment, ids, now);
  const all = findings.map((finding) => ({ ...finding, since: known.get(finding.id) ?? now }));
  const fresh = all.filter(({ since }) => since === now).length;
  if (options.json === true) {
    const data = all.map(({ since, ...finding }) => ({ ...finding, isNew: since === now, since: isoTime(since) }));
    printData(shell, { environment, exchanges, compared, new: fresh, findings: data });
  } else {
    const lines = all.flatMap((finding) => findingLines(finding, finding.since === now));
    const others = exchanges === compared ? "" : `, ${compared} of them compared`;
    const summary = `${count(exchanges, "exchange")}${others}: ${count(all.length, "finding")}, ${fresh} new`;
    printLines(shell, [...lines, summary]);
  }
  return fresh === 0 ? EXIT.passed : EXIT.drift;
};

function originOf([first]: readonly KeptExchange[]): string {
  return first === undefined ? "" : new URL(first.url).origin;
}

function nothingKept(environment: string, others: readonly string[]): Failure {
  const near = didYouMean(environment, others);
  return new Failure({
    code: "contract.no-exchanges",
    message: `no exchanges of ${environment} are kept${near === undefined ? "" : `; did you mean ${near}?`}`,
    why: "runs keep them only on request",
    next: command`run PLAYBOOK --env ${environment} --keep-exchanges`,
  });
}

function nothingCompared(exchanges: number, where: string): Failure {
  return new Failure({
    code: "contract.nothing-compared",
    message: `nothing was compared: ${where} has ${count(exchanges, "exchange")}, and none is an answer of an operation of the contract`,
    why: "an exchange counts if its method and address are those of an operation, and if its answer is there with its content",
    next: "record calls of the ledger or of the investor interface, with the contents of their answers",
  });
}

function findingLines(
  { id, kind, operation, where, message, example, callsFor, run, step, ...more }: ContractFinding,
  isNew: boolean,
): string[] {
  const at = run === null ? "" : `, run ${run}${step === null ? "" : ` step ${step}`}`;
  return [
    `${id}  ${isNew ? "new       " : "persisting"}  ${operation}  ${FINDINGS[kind]} ${where}: ${message} (${count(more.count, "answer")})`,
    ...(example === "" ? [] : [`    example: ${example}${at}`]),
    `    calls for: ${callsFor}`,
  ].map((line) => oneLine(line));
}
