#!/usr/bin/env node
// Written so that an old Node can read it: it says what to do instead of failing on syntax that it does not know.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const needed = 24;
const program = fileURLToPath(import.meta.url);

if (Number(process.versions.node.split(".")[0]) >= needed) {
  const { boot } = await import("../dist/boot.cjs");
  await boot();
} else {
  // In a clone, `npm ci` has installed the Node that is needed.
  const installed = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (existsSync(installed)) await runWith(installed);
  else refuse();
}

function refuse() {
  process.stderr.write(
    `tokenbook needs Node ${needed} or newer, and this is Node ${process.versions.node}\n` +
      `next: install Node ${needed}, or let npm fetch it for this command:\n` +
      `npx --yes --package=node@${needed} -- node ${[program, ...process.argv.slice(2)].map(quoted).join(" ")}\n`,
  );
  process.exitCode = 2;
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

async function runWith(node) {
  const { spawn } = await import("node:child_process");
  const child = spawn(node, [...process.execArgv, program, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both of us.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", refuse);
  child.on("exit", (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
