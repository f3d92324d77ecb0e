import { resolve } from "node:path";
import { EXIT } from "../../base/exit.ts";
import { sanitise } from "../../base/text.ts";
import { readFaults, readSeed, type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { profileOf, readDataFile, readMapFile } from "../project.ts";
import { type Command, untilStopped } from "../shell.ts";

interface SandboxCommandOptions {
  readonly port: number;
  readonly db?: string;
  readonly commitDelay: number;
  readonly seed?: string;
  readonly faults?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

/** `tokenbook sandbox`: serves until it is told to stop. */
export const sandbox: Command<SandboxCommandOptions> = async (shell, options) => {
  const { port, db, commitDelay, seed, faults, profile, json } = options;
  const serving = await startSandbox({
    path: db === undefined ? ":memory:" : resolve(shell.cwd, db),
    port,
    commitDelayMs: commitDelay,
    ...(seed === undefined ? {} : { seed: readSeed(readMapFile(shell, seed)) }),
    ...(faults === undefined ? {} : { faults: readFaults(readDataFile(shell, faults)) }),
    ...(profile === undefined ? {} : { profile: profileOf(shell, profile) }),
  });
  if (db !== undefined && seed !== undefined && !serving.isNew)
    shell.stderr.write(
      `tokenbook: ${sanitise(db)} holds a sandbox already, and is served as it is: a seed fills an empty file\n`,
    );
  shell.stdout.write(json === true ? `${JSON.stringify(serving)}\n` : readyText(serving));
  await untilStopped(shell.stopping);
  await serving.close();
  return EXIT.passed;
};

function readyText(ready: Sandbox): string {
  const keys = Object.entries(ready.credentials).map(([name, key]) => `  ${name}  ${key}`);
  return [
    "The sandbox is ready.",
    `  ledger    ${ready.ledgerBaseUrl}/tokenize/${ready.appId}   organization ${ready.orgId}   X-API-KEY: ${ready.ledgerApiKey}`,
    `  investor  ${ready.investorBaseUrl}/api/v/1   x-api-key, by user:`,
    ...keys.map((key) => `          ${key}`),
    "",
  ].join("\n");
}
