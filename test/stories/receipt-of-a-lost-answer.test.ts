import { expect, test } from "vitest";
import { cutAnswer, proxyTo } from "./proxy.ts";
import { environmentAt, MINT_ONCE, newProject, servedSandbox } from "./world.ts";

test.for([
  {
    where: "an expectation of a later step",
    text: MINT_ONCE.replace("expect: [response", 'expect: [steps.mint.receipt.status == "COMMITTED", response'),
    field: "receipt",
  },
  {
    where: "an expectation of the write itself",
    text: MINT_ONCE.replace('value: "10.00" }', 'value: "10.00" }\n    expect: [steps.mint.receipt.status == "COMMITTED"]'),
    field: "receipt",
  },
  { where: "an output", text: `${MINT_ONCE}  receipt: "\${{ steps.mint.receipt.status }}"\n`, field: "receipt" },
  {
    where: "the input of a later step",
    text: MINT_ONCE.replace(
      "outputs:",
      `  - { id: last, uses: ledger.receipt.get, with: { receiptId: "\${{ steps.mint.response.receiptId }}" } }\noutputs:`,
    ),
    field: "response",
  },
])(
  "a write whose answer was lost has no receipt: $where that asks for it gets a message with what to write",
  async ({ text, field }) => {
    const world = await servedSandbox();
    const proxy = await proxyTo(world.url);
    const project = newProject();
    project.write("tokenbook.yaml", environmentAt(proxy.url));
    project.write("mint.yaml", text);
    void proxy.next("POST /token/mint", cutAnswer);
    const ran = await project.run("run", "mint.yaml");
    expect(ran.code, ran.transcript).toBe(1);
    expect(ran.stdout, ran.transcript).toMatch(/its answer was lost|the answer of the write steps\.mint was lost/);
    expect(ran.stdout, ran.transcript).toContain(`next: use it only where it exists, as in has(steps.mint.${field})`);

    const guarded = text
      .replace(
        'steps.mint.receipt.status == "COMMITTED"',
        `'has(steps.mint.receipt) ? steps.mint.receipt.status == "COMMITTED" : true'`,
      )
      .replace("${{ steps.mint.receipt.status }}", "${{ has(steps.mint.receipt) ? steps.mint.receipt.status : 'lost' }}");
    if (guarded === text) return;
    project.write("mint.yaml", guarded);
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(await world.commits()).toHaveLength(2);
  },
);
