// Makes the runs in the pictures of docs/images: the built command really runs one playbook on the embedded sandbox.
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EmulatedScreen } from "../unit/report/view/emulator.ts";

const COMMAND = resolve("bin/tokenbook.js");
const COLUMNS = 104;
const LONGEST_MS = 60_000;

/** The runs in the pictures. */
export interface Pictured {
  /** The HTML report of a run that failed after a lost answer. */
  readonly report: string;
  /** What a terminal shows during a run that waits for an approver. */
  readonly screen: string;
}

const SUPPLY = `
  - id: supply
    name: The supply is complete
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 100]
`;

const OWNED = `
  - id: owned
    name: The custodian owns the property
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.property.id }}" }
    until: response.owners.exists(o, o == actors.custodian)
    timeout: 1h
${SUPPLY.slice(1)}`;

function playbook(voters: string, last: string): string {
  return `playbook: 1
name: Onboard a property
actors:
  registrar: { ledger: "userId:alice" }
  issuer: { ledger: "userId:bob" }
  board: [{ ledger: "userId:carol" }, { ledger: "userId:dora" }]
  custodian: { ledger: "userId:erin" }
defaults: { as: registrar }
steps:
  - id: property
    name: Record the property
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Mill\${{ run.key }}" } }
  - id: token
    name: Create its token
    as: issuer
    uses: ledger.token.create
    with: { name: Mill, symbol: MIL, behaviour: { decimal: 2, maxMintQuantity: "100.00", transferable: true, burnable: true } }
  - id: mint
    name: Mint the issuer's part
    as: issuer
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "90.00" }
  - id: request
    name: Ask the board
    uses: ledger.transfer.request
    with:
      assetType: Property
      id: ["\${{ steps.property.id }}"]
      approvers: "\${{ actors.board }}"
      numRequired: 2
      newOwner: "\${{ actors.custodian }}"
  - id: approvals
    name: Approve the transfer
    foreach: { member: "\${{ ${voters} }}", key: member.userId }
    as: "\${{ member }}"
    uses: ledger.transfer.approve
    with: { id: ["\${{ steps.request.id }}"] }${last}`;
}

/** Runs the playbook twice: one run crashes, resumes and fails an expectation; the other run waits. */
export async function pictured(): Promise<Pictured> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-pictures-"));
  try {
    writeFileSync(join(folder, "onboarding.yaml"), playbook("actors.board", SUPPLY));
    writeFileSync(join(folder, "waiting.yaml"), playbook("[actors.board[0]]", OWNED));
    tokenbook(folder, { TOKENBOOK_FAILPOINT: "before:attempt.answered@mint" }, "run", "onboarding.yaml");
    const resumed = tokenbook(folder, {}, "resume", "--report", "html=report.html");
    if (resumed.status !== 1) throw new Error(`the run was expected to fail:\n${resumed.stdout}${resumed.stderr}`);
    return { report: readFileSync(join(folder, "report.html"), "utf8"), screen: await waitingScreen(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function environmentOf(folder: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: folder, TERM: "xterm", ...more };
}

function tokenbook(folder: string, variables: NodeJS.ProcessEnv, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    env: environmentOf(folder, variables),
    encoding: "utf8",
  });
}

/** Returns the screen as soon as it shows the time until which the run waits. */
async function waitingScreen(folder: string): Promise<string> {
  const command = `stty cols ${COLUMNS} rows 30; exec '${process.execPath}' '${COMMAND}' run waiting.yaml`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: folder,
    env: environmentOf(folder, {}),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const screen = new EmulatedScreen(COLUMNS, 30);
  const deadline = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  try {
    for await (const text of child.stdout.setEncoding("utf8")) {
      screen.write(String(text));
      const lines = await screen.lines();
      if (lines.some((line) => /owned.* until .* [\d.]+ s$/.test(line))) return lines.join("\n");
    }
    throw new Error(`the run ended before it waited:\n${(await screen.lines()).join("\n")}`);
  } finally {
    clearTimeout(deadline);
    child.stdin.end("\u0003");
    child.kill();
  }
}
