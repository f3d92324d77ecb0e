// node bench/check.ts [--verify]: measures the CPU time that a process needs to check large playbooks as its first work. With --verify, exits with 1
// if a check takes longer than promised. Each case has a process of its own.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkPlaybook } from "../src/playbook/check.ts";

const CPU_SECONDS = 2;

const ACTORS = `actors:
  issuer: { ledger: "userId:alice" }
  custodian: { ledger: "userId:carol" }
defaults: { as: issuer }
`;

const STEPS = 3_000;
const FILES = 64;

interface Case {
  readonly files: ReadonlyMap<string, string>;
  readonly main: string;
}

/** A token, and thousands of steps that mint and read. Each step refers to the steps before it. */
function manySteps(): Case {
  const rounds = Array.from({ length: STEPS / 2 }, (_, at) =>
    mintAndLook(at === 0 ? "token" : `look${at - 1}.response`, String(at)),
  );
  const text = `playbook: 1\n${ACTORS}steps:\n${TOKEN}${rounds.join("")}`;
  return { main: "steps.yaml", files: new Map([["steps.yaml", text]]) };
}

const TOKEN = `  - id: token
    uses: ledger.token.create
    with: { classification: { type: fungible }, behaviour: { decimal: 2 }, tokenPermissions: [{ entity: "\${{ actors.custodian }}", roles: [minter] }] }
`;

function mintAndLook(from: string, name: string): string {
  return `  - id: mint${name}
    as: custodian
    uses: ledger.token.mint
    with: { id: "\${{ steps.${from}.id }}", to: "\${{ actors.issuer }}", value: "1.25" }
    expect: ['steps.mint${name}.receipt.status == "COMMITTED"']
  - id: look${name}
    uses: ledger.token.get
    with: { id: "\${{ steps.${from}.id }}" }
    expect: [response.totalSupply >= 1.25, response.id == steps.token.id]
`;
}

/** A playbook that includes others. Each of them has its own steps, inputs and outputs. */
function manyFiles(): Case {
  const parts = Array.from({ length: FILES }, (_, at) => [`part${at}.yaml`, partOf(at)] as const);
  const calls = parts.map(([file], at) => {
    const token = at === 0 ? "T0" : `\${{ steps.part${at - 1}.outputs.token }}`;
    return `  - id: part${at}\n    uses: ./${file}\n    with: { token: "${token}" }\n`;
  });
  return { main: "main.yaml", files: new Map([...parts, ["main.yaml", `playbook: 1\nsteps:\n${calls.join("")}`]]) };
}

function partOf(at: number): string {
  const look = `  - id: look\n    uses: ledger.token.get\n    with: { id: "\${{ inputs.token }}" }\n    expect: [response.totalSupply > ${at}]\n`;
  const rounds = Array.from({ length: 5 }, (_, round) => mintAndLook("token", String(round)));
  return `playbook: 1\n${ACTORS}inputs: { token: { type: string } }\nsteps:\n${look}${TOKEN}${rounds.join("")}outputs: { token: "\${{ steps.token.id }}" }\n`;
}

const CASES: Readonly<Record<string, () => Case>> = {
  [`${STEPS} steps`]: manySteps,
  [`${FILES} included files`]: manyFiles,
};

const { values: options } = parseArgs({ options: { case: { type: "string" }, verify: { type: "boolean", default: false } } });
if (options.case === undefined) compare();
else process.stdout.write(String(cpuSecondsOf(CASES[options.case]?.())));

function cpuSecondsOf(given: Case | undefined): number {
  if (given === undefined) throw new RangeError(`there is no case ${options.case}`);
  const { files, main } = given;
  const start = process.cpuUsage();
  const { diagnostics } = checkPlaybook(main, files.get(main) ?? "", { read: (path) => files.get(path) });
  const { user, system } = process.cpuUsage(start);
  if (diagnostics.length > 0) throw new Error(`${main} should be correct: ${diagnostics[0]?.message}`);
  return (user + system) / 1e6;
}

function compare(): void {
  for (const name of Object.keys(CASES)) {
    const seconds = execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--case", name], { encoding: "utf8" });
    const over = Number(seconds) > CPU_SECONDS;
    process.stdout.write(`${name}: ${Number(seconds).toFixed(2)} s of CPU, promised ${CPU_SECONDS} s: ${over ? "over" : "ok"}\n`);
    if (over && options.verify) process.exitCode = 1;
  }
}
