import { resolve } from "node:path";
import { EXIT } from "../../base/exit.ts";
import { readFaults, readSeed, type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { inProjectHere } from "../project/chosen-project.ts";
import { profileOf, readDataFile, readMapFile } from "../project/project.ts";
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
  const stopping = shell.stopping();
  const { port, db, commitDelay, seed, faults, profile, json } = options;
  const serving = await startSandbox({
    path: db === undefined ? ":memory:" : resolve(shell.cwd, db),
    port,
    commitDelayMs: commitDelay,
    ...(seed === undefined ? {} : { seed: readSeed(readMapFile(shell, seed)) }),
    ...(faults === undefined ? {} : { faults: readFaults(readDataFile(shell, faults)) }),
    ...(profile === undefined ? {} : { profile: profileOf(inProjectHere(shell), profile) }),
  });
  if (db !== undefined && seed !== undefined && !serving.isNew)
    shell.stderr.write(`tokenbook: ${db} holds a sandbox already, and is served as it is: a seed fills an empty file\n`);
  if (json === true) shell.stdout.write(`${JSON.stringify(serving)}\n`, "json");
  else shell.stdout.write(readyText(serving));
  await untilStopped(stopping);
  await serving.close();
  return EXIT.passed;
};

// What is to be put where, as it can be copied.
function readyText(ready: Sandbox): string {
  const { ledgerBaseUrl, investorBaseUrl, appId, orgId, ledgerApiKey, keyEntity, credentials } = ready;
  const names = Object.keys(credentials);
  const keys = Object.entries({ LEDGER_KEY: ledgerApiKey, ...credentials });
  return [
    `The sandbox is ready at ${ledgerBaseUrl}. An environment of tokenbook.yaml:`,
    "",
    "  local:",
    `    ledger: { baseUrl: "${ledgerBaseUrl}", appId: "${appId}", orgId: "${orgId}", apiKey: env:LEDGER_KEY${keyEntity === null ? "" : `, keyEntity: "${keyEntity}"`} }`,
    `    investor: { baseUrl: "${investorBaseUrl}", credentials: { ${names.map((name) => `${name}: env:${name}`).join(", ")} } }`,
    "    exclusive: true",
    "",
    "Its keys, for .env; with --db they stay the same:",
    "",
    ...keys.map(([name, key]) => `  ${name}=${key}`),
    "",
  ].join("\n");
}
