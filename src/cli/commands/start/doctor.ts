import { join } from "node:path";
import { existsSync } from "node:fs";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { systemClock } from "../../../base/ports.ts";
import { harmlessDocument } from "../../../base/text/harmless.ts";
import { askingOf } from "../../../engine/read/ask.ts";
import { readingOnly, type ReadingPort } from "../../../engine/read/reading-port.ts";
import { ServiceClient } from "../../../engine/service/service.ts";
import { loadEnvironment } from "../../../environment/load.ts";
import { secretsOf, type Target } from "../../../environment/target.ts";
import { NO_SECRETS } from "../../../playbook/settings/open-secrets.ts";
import type { DoctorDocument, DoctorFinding } from "../../../report/doctor/shape.ts";
import { doctorLines } from "../../../report/doctor/text.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { Transport } from "../../../transport/exchange.ts";
import { type DebugOption, openExchanges } from "../../print/debug.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { Findings } from "../../doctor/finding.ts";
import { lookAtProgram, lookAtTerminal } from "../../doctor/here.ts";
import { lookAtProfile } from "../../doctor/profile.ts";
import { lookAtKeys, lookAtProject, type ProjectSight } from "../../doctor/project.ts";
import { lookAtService } from "../../doctor/service.ts";
import { lookAtState } from "../../doctor/state.ts";
import { maskedShell } from "../../print/masked.ts";
import { assertMoved } from "../../runs/not-moved.ts";
import { assertSandboxMeant, EMBEDDED_NAME, embeddedSandbox } from "../../project/open-target.ts";
import { stateDirectory, statePlace, type Where } from "../../project/state-place.ts";
import type { Command, Shell } from "../../shell.ts";
import { markedOn } from "../../view/colour.ts";

interface DoctorOptions extends Where, DebugOption {
  readonly json?: boolean;
}

function movedPlace(shell: ProjectShell, where: Where): StatePlace {
  const place = statePlace(shell, where);
  assertMoved(shell, place);
  return place;
}

/** `tokenbook doctor`: checks whether runs can start here, and says how to fix what prevents them. It only reads. */
export const doctor: Command<DoctorOptions> = async (plainShell, options) => {
  const shell = inProjectHere(plainShell);
  const project = lookAtProject(shell, options);
  await using opened = await openMeant(shell, options, project);
  const { target } = opened;
  const redact = NO_SECRETS.with(target === undefined ? [] : secretsOf(target)).redact;
  const environment = target?.environment ?? options.env ?? project.environments?.[0]?.name;
  const findings = [
    ...lookAtProgram(shell),
    ...lookAtTerminal(shell),
    ...project.findings,
    ...lookAtKeys(shell, project, environment),
    ...lookAtState(() => movedPlace(shell, options)),
    ...opened.findings,
    ...(target === undefined ? [] : await lookBeyond(shell, options, target)),
  ];
  const ok = !findings.some(({ grade }) => grade === "problem");
  const document: DoctorDocument = { format: 1, ok, environment: environment ?? null, findings };
  const { stdout } = maskedShell(shell, redact);
  if (options.json === true) stdout.write(harmlessDocument(document), "json");
  else stdout.write(`${doctorLines(document, shell.hint).join("\n")}\n`, markedOn(stdout, shell.variables));
  return ok ? EXIT.passed : EXIT.failed;
};

interface Meant extends AsyncDisposable {
  readonly target?: Target;
  /** The findings about the sandbox. */
  readonly findings: readonly DoctorFinding[];
}

const NOTHING_OPEN: Meant = { findings: [], [Symbol.asyncDispose]: async () => {} };

// Throws if the caller names an unknown environment. Missing keys are a finding, which is shown with the other keys.
async function openMeant(shell: ProjectShell, options: DoctorOptions, { environments, variables }: ProjectSight): Promise<Meant> {
  if (environments === undefined) return NOTHING_OPEN;
  const { environmentFile: file } = shell.project;
  if (file === undefined) {
    assertSandboxMeant(shell, options);
    return openSandbox(shell, options, EMBEDDED_NAME);
  }
  try {
    const loaded = loadEnvironment(file, { name: options.env, cwd: shell.cwd, variables });
    return "sandbox" in loaded ? await openSandbox(shell, options, loaded.sandbox) : { ...NOTHING_OPEN, target: loaded };
  } catch (error) {
    if (error instanceof Failure && error.code.startsWith("environment.key")) return NOTHING_OPEN;
    throw error;
  }
}

// Opens a sandbox in memory, because opening the one in the state directory would write to it.
async function openSandbox(shell: ProjectShell, options: DoctorOptions, environment: string): Promise<Meant> {
  const sandbox = await embeddedSandbox(":memory:", environment);
  const findings = new Findings("service");
  const file = join(stateDirectory(shell, options), "sandbox.db");
  const data = existsSync(file) ? `its data is in ${file}` : "it has no data yet";
  findings.ok("service.sandbox", `environment ${environment} is the sandbox inside tokenbook, and it works; ${data}`);
  return { ...sandbox, findings: findings.all };
}

async function lookBeyond(shell: Shell, options: DebugOption, target: Target): Promise<readonly DoctorFinding[]> {
  using exchanges = await openExchanges(shell, options);
  await using transport = new Transport();
  const secrets = NO_SECRETS.with(secretsOf(target));
  const exchange = transport.exchange.bind(transport);
  const patient = { ...target, timeoutMs: Math.min(target.timeoutMs, LIMITS.doctorMs) };
  const service: ReadingPort = readingOnly(
    new ServiceClient(patient, { clock: systemClock, exchange: exchanges?.of(secrets).around(exchange) ?? exchange, secrets }),
  );
  const asking = askingOf(service, { clock: systemClock, stopping: shell.stopping() });
  const { findings, identities } = await lookAtService(asking);
  return [...findings, ...(await lookAtProfile(asking, identities))];
}
