import { expect, test } from "vitest";
import { newProject } from "./world.ts";

const PLAYBOOK = `playbook: 1
name: Exact numbers
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with:
      name: Tenths
      symbol: TEN
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: infinite }
      behaviour: { decimal: 2, transferable: true, burnable: true }
  - id: first
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "0.1" }
  - id: second
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "0.1" }
  - id: third
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "0.1" }
  - id: accounts
    uses: ledger.account.list
    with: { tokenId: "\${{ steps.token.id }}" }
    expect:
      - response[0].balance == 0.3
      - sum(response.map(a, a.balance)) == 0.1 + 0.2
  - id: asset
    uses: ledger.asset.create
    with:
      assetType: Property
      data:
        id: "E\${{ run.key }}"
        serial: 9007199254740993
        value: 12345678901234567890.50
  - id: back
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.asset.id }}" }
    expect:
      - response.data.serial == 9007199254740993
      - response.data.serial != 9007199254740992
      - response.data.value - 12345678901234567890 == 0.5
outputs:
  balance: "\${{ steps.accounts.response[0].balance }}"
  serial: "\${{ steps.back.response.data.serial }}"
  value: "\${{ steps.back.response.data.value }}"
  next: "\${{ steps.back.response.data.serial + 1 }}"
`;

test("three times a tenth is three tenths, and large numbers come back digit by digit", async () => {
  const project = newProject();
  project.write("exact.yaml", PLAYBOOK);
  const run = await project.run("run", "exact.yaml", "--json", "--report", "json=report.json");
  expect(run.code, run.transcript).toBe(0);
  expect(run.stderr, run.transcript).toContain("output balance: 0.3\n");
  expect(run.stderr, run.transcript).toContain("output serial: 9007199254740993\n");
  expect(run.stderr, run.transcript).toContain("output value: 12345678901234567890.50\n");
  expect(run.stderr, run.transcript).toContain("output next: 9007199254740994\n");

  const shown = await project.run("runs", "show", runOf(run.stdout), "--json");
  for (const text of [run.stdout, project.read("report.json"), shown.stdout]) {
    expect(text, run.transcript).toContain(
      '"outputs":{"balance":0.3,"serial":9007199254740993,"value":12345678901234567890.50,"next":9007199254740994}',
    );
    // The number that was sent is in the attempt's input, and the number that was read back is in the answer.
    expect(text.match(/"serial":9007199254740993\b/g)?.length, text).toBeGreaterThanOrEqual(3);
    expect(text.match(/"value":12345678901234567890\.50\b/g)?.length, text).toBeGreaterThanOrEqual(3);
    // A condition contains numbers of its own beside the numbers that were read.
    expect(text.replaceAll(/"expression":"[^"]*"/g, "")).not.toMatch(
      /900719925474099[12]|1234567890123456[78]\d{3}\b(?!\.50)|e\+/,
    );
  }
});

const TOO_LONG = `playbook: 1
mode: read-only
steps:
  - id: each
    foreach: { x: ["\${{ int('1e1000') }}"], key: "'k'" }
    uses: ledger.token.list
  - id: none
    uses: ledger.token.get
    with: { id: nothere }
outputs: { o: "\${{ int('1e1000') }}" }
`;

test("a number that is too long to be kept fails its step, and its run is read and resumed like any other", async () => {
  const project = newProject();
  project.write("long.yaml", TOO_LONG);
  const run = await project.run("run", "long.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toContain("expression.no-value: int('1e1000'): a number of more than 1000 digits");
  for (const words of [["runs", "show", "latest"], ["doctor"], ["report", "latest", "--report", "json=report.json"]]) {
    const after = await project.run(...words);
    expect([0, 1], after.transcript).toContain(after.code);
  }
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(1);
  expect(resumed.stdout, resumed.transcript).toContain("expression.no-value");
});

function runOf(json: string): string {
  return (JSON.parse(json) as { reports: [{ run: { id: string } }] }).reports[0].run.id;
}
