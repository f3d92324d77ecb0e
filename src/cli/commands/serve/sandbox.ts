import { resolve } from "node:path";
import { EXIT } from "../../../base/exit.ts";
import { readDialect, readFaults, readSeed, type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import { profileOf } from "../../project/open-target.ts";
import { readDataFile, readMapFile } from "../../project/read-file.ts";
import { withSandboxFiles } from "../../sandbox-files.ts";
import { createFiles } from "../../starter/create-files.ts";
import { type Command, type Shell, untilStopped } from "../../shell.ts";

interface SandboxCommandOptions {
  readonly port: number;
  readonly db?: string;
  readonly commitDelay: number;
  readonly seed?: string;
  readonly faults?: string;
  readonly profile?: string;
  readonly dialect?: string;
  readonly writeEnv?: boolean;
  readonly json?: boolean;
}

/** `tokenbook sandbox`: serves the sandbox until it is stopped. */
export const sandbox: Command<SandboxCommandOptions> = async (shell, options) => {
  const stopping = shell.stopping();
  const { port, db, commitDelay, seed, faults, profile, dialect, writeEnv, json } = options;
  const files = { "the seed": seed, "the fault plan": faults, "the dialect": dialect };
  const serving = await withSandboxFiles(shell, files, async () =>
    startSandbox({
      path: db === undefined ? ":memory:" : resolve(shell.cwd, db),
      port,
      commitDelayMs: commitDelay,
      ...(seed === undefined ? {} : { seed: readSeed(readMapFile(shell, seed)) }),
      ...(faults === undefined ? {} : { faults: readFaults(readDataFile(shell, faults)) }),
      ...(dialect === undefined ? {} : { dialect: readDialect(readMapFile(shell, dialect)) }),
      ...(profile === undefined ? {} : { profile: profileOf(inProjectHere(shell), profile) }),
    }),
  );
  if (db !== undefined && seed !== undefined && !serving.isNew)
    shell.stderr.write(`tokenbook: ${db} holds a sandbox already, and is served as it is: --seed fills only an empty file\n`);
  try {
    if (writeEnv === true) writeEnvironment({ ...shell, stdout: json === true ? shell.stderr : shell.stdout }, serving);
    if (json === true) shell.stdout.write(`${JSON.stringify(serving)}\n`, "json");
    else shell.stdout.write(writeEnv === true ? `The sandbox is ready at ${serving.ledgerBaseUrl}.\n` : readyText(serving));
    await untilStopped(stopping);
  } finally {
    await serving.close();
  }
  return EXIT.passed;
};

function environmentText(ready: Sandbox): string {
  const { ledgerBaseUrl, investorBaseUrl, appId, orgId, keyEntity, credentials, revoked } = ready;
  const accepted = Object.keys(credentials).filter((name) => !revoked.includes(name));
  return [
    "environments:",
    "  local:",
    "    ledger:",
    `      baseUrl: "${ledgerBaseUrl}"`,
    `      appId: "${appId}"`,
    `      orgId: "${orgId}"`,
    "      apiKey: env:LEDGER_KEY",
    ...(keyEntity === null ? [] : [`      keyEntity: "${keyEntity}"`]),
    "    investor:",
    `      baseUrl: "${investorBaseUrl}"`,
    "      credentials:",
    ...accepted.map((name) => `        ${name}: env:${name}`),
    ...revokedLines(revoked),
    "    exclusive: true # nobody else uses this sandbox",
    "",
  ].join("\n");
}

// This credential is commented out, because `doctor` uses every credential and would report the refused one as a problem.
function revokedLines(revoked: readonly string[]): readonly string[] {
  if (revoked.length === 0) return [];
  const names = revoked.map((name) => `        # ${name}: env:${name}`);
  return ["        # The sandbox refuses this credential. To test refusals, remove the # before its name:", ...names];
}

function keysText({ ledgerApiKey, credentials }: Sandbox): string {
  return Object.entries({ LEDGER_KEY: ledgerApiKey, ...credentials })
    .map(([name, key]) => `${name}=${key}\n`)
    .join("");
}

// No other output comes before or inside these blocks, so that each can be copied as it is.
function readyText(ready: Sandbox): string {
  return [
    `The sandbox is ready at ${ready.ledgerBaseUrl}.`,
    "",
    "# tokenbook.yaml",
    environmentText(ready),
    "# .env, beside it; with --db the keys stay the same",
    keysText(ready),
  ].join("\n");
}

function writeEnvironment(shell: Shell, ready: Sandbox): void {
  const files = { "tokenbook.yaml": environmentText(ready), ".env": keysText(ready) };
  createFiles(shell, shell.cwd, files, "leave out --write-env, and copy into them what the sandbox then prints");
}
