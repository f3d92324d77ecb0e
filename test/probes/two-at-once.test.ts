// A run makes two writes at the same time. The first is done and its answer is late; the second never arrives. The run must not take the effect
// of the first write for the effect of the second, although the two look alike.
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { folderForTest, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };

const HEAD = `playbook: 1
actors:
  op: { ledger: "userId:alice" }
  bob: { ledger: "userId:bob" }
  carol: { ledger: "userId:carol" }
  treasury: { ledger: "userId:treasury" }
  buyer: { investor: BUYER_KEY }
defaults: { as: op }
steps:
`;
const FUNDS = `  - { id: token, uses: ledger.token.create, with: { name: Open, behaviour: { decimal: 0, transferable: true, burnable: true }, tokenPermissions: [{ entity: "\${{ actors.op }}", roles: [transfer, minter, burner] }] } }
  - { id: stock, uses: ledger.token.mint, with: { items: [{ id: "\${{ steps.token.id }}", to: "\${{ actors.bob }}", value: 100 }, { id: "\${{ steps.token.id }}", to: "\${{ actors.carol }}", value: 100 }] } }
`;
const VAULT = `  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: H1 } } }
  - { id: vault, uses: ledger.vault.create, with: { name: V, vaultToken: [{ id: SH1, name: S, classification: { unit: whole, supply: capped-variable }, behaviour: { decimal: 0, transferable: true, burnable: true } }] } }
`;
const DEPOSIT = `{ vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: H1, shares: [{ tokenId: SH1, quantity: 50, receiver: "\${{ actors.op }}" }] }] }`;
const COUPLE = "{ round: [done, gone], key: round, parallel: 2 }";

const each = (call: string): string => `  - { id: both, foreach: ${COUPLE}, ${call} }\n`;
// Uses a block, because the two writes are different operations.
const either = (done: string, gone: string): string =>
  `  - id: both
    foreach: ${COUPLE}
    block:
      - { id: done, if: round == 'done', ${done} }
      - { id: gone, if: round == 'gone', ${gone} }
`;
const PAYER = `from: { orgId: org1, userId: "\${{ round == 'done' ? 'bob' : 'carol' }}" }`;

/** Pairs of steps whose writes look alike, and which requests are the two writes. */
const PAIRS = [
  [
    "transfers of the same amount from two payers",
    `${FUNDS}${each(`uses: ledger.erc1155.safeTransferFrom, with: { id: "\${{ steps.token.id }}", ${PAYER}, to: "\${{ actors.treasury }}", value: 10 }`)}`,
  ],
  [
    "burns of the same amount from two payers",
    `${FUNDS}${each(`uses: ledger.token.burn, with: { id: "\${{ steps.token.id }}", ${PAYER}, value: 10 }`)}`,
  ],
  [
    "a withdrawal, which names no amount, and a burn",
    `${VAULT}  - { id: deposit, uses: ledger.vault.deposit, with: ${DEPOSIT} }
${either(
  `uses: ledger.vault.withdraw, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: H1, shares: [{ tokenId: SH1, payer: "\${{ actors.op }}" }] }] }`,
  `uses: ledger.token.burn, with: { id: SH1, from: "\${{ actors.op }}", value: 50 }`,
)}`,
  ],
  [
    "a deposit and a mint of its shares",
    `${VAULT}${either(
      `uses: ledger.vault.deposit, with: ${DEPOSIT}`,
      `uses: ledger.token.mint, with: { id: SH1, to: "\${{ actors.op }}", value: 50 }`,
    )}`,
  ],
  [
    "two updates of one asset, where the one leaves what the other one sets",
    `  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: H1, city: Lisbon } } }
${each(`uses: ledger.asset.update, with: { assetType: Property, data: "\${{ round == 'done' ? {'id': 'H1', 'colour': 'red'} : {'id': 'H1', 'city': 'Lisbon'} }}" }`)}`,
  ],
  [
    "a purchase whose price is the number of tokens of the other one",
    each(
      `as: buyer, uses: investor.sales.buy, with: { tokenSaleId: saleDebt1, userAddress: "0x00000000000000000000000000000000000000aa", amount: "\${{ round == 'done' ? 10 : 1000 }}", currencyContract: "0xc", timezone: Europe/Lisbon }`,
    ),
  ],
  [
    "two units, where the data of the one has the id of the other one",
    `  - { id: flats, uses: ledger.token.create, with: { name: Flats, classification: { type: nonfungible } } }
${each(`uses: ledger.token.mint, with: { id: "\${{ steps.flats.id }}", to: "\${{ actors.op }}", nftData: { id: "\${{ round == 'done' ? '3' : '12' }}", floor: "\${{ round == 'done' ? '1' : '3' }}" } }`)}`,
  ],
  [
    "two votes of one approver",
    `  - { id: ask, uses: ledger.approval.create, with: { approvalType: invoice, approvers: ["\${{ actors.bob }}"], numRequired: 1 } }
${each(`as: bob, uses: ledger.approval.accept, with: { approvalType: invoice, id: "\${{ steps.ask.id }}" }`)}`,
  ],
] as const;

interface Both {
  readonly settled: Readonly<Record<string, string>>;
  readonly ended: Readonly<Record<string, string>>;
}

const roundOf = (step: string): string => /\[(\w+)\]/.exec(step)?.[1] ?? "";

/**
 * Runs two writes at once. The service does the write of the round "done", and answers it only after the step of the round "gone" has ended.
 * The write of the round "gone" is sent after the other write.
 */
async function both(
  steps: string,
  { gone, done }: { readonly gone: "arrives" | "is lost"; readonly done: "answered" | "lost" },
): Promise<Both> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const [intended, isDone, isOver] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const toSend: string[] = [];
  const settled: Record<string, string> = {};
  const ended: Record<string, string> = {};
  const observe = (event: RunEvent): void => {
    if (!("step" in event) || event.step === undefined || !event.step.includes("[")) return;
    const round = roundOf(event.step);
    if (event.kind === "attempt.intended") {
      toSend.push(round);
      if (round !== toSend[0]) intended.resolve();
    }
    if (event.kind === "attempt.settled") settled[round] ??= event.verdict;
    if (event.kind !== "step.completed" && event.kind !== "step.stopped") return;
    if (event.outcome !== "skipped") ended[round] ??= event.outcome;
    if (round === "gone" && event.outcome !== "skipped") isOver.resolve();
  };
  let [nth, isFirst] = [0, true];
  const exchange = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Exchanged>): Promise<Exchanged> => {
    if (!outgoing.fresh || toSend.length === 0) return send(outgoing);
    const round = toSend[nth++];
    await intended.promise;
    if (round === "done") {
      const answer = await send(outgoing);
      isDone.resolve();
      if (done === "answered") return answer;
      await isOver.promise;
      return LOST;
    }
    await isDone.promise;
    if (isFirst && gone === "arrives") await send(outgoing);
    isFirst = false;
    return LOST;
  };
  await runnerForTest()(`${HEAD}${steps}`, targetOf(sandbox), { observe, exchange });
  return { settled, ended };
}

test.for(PAIRS)("%s: the effect of the first write does not prove the second one, which never arrives", async ([, steps]) => {
  const { settled, ended } = await both(steps, { gone: "is lost", done: "lost" });
  expect(settled["gone"]).not.toBe("applied");
  expect(ended["gone"]).toBe("unknown");
});

test("two units: the unit of an answered mint does not prove the other mint", async () => {
  const [, steps] = PAIRS[6];
  expect(await both(steps, { gone: "is lost", done: "answered" })).toEqual({
    settled: {},
    ended: { done: "changed", gone: "unknown" },
  });
});

const FLATS = `  - { id: flats, uses: ledger.token.create, with: { name: Flats, classification: { type: nonfungible }, nftFields: [{ name: id, isPrimaryKey: true }] } }
${each(`uses: ledger.token.mint, with: { id: "\${{ steps.flats.id }}", to: "\${{ actors.op }}", nftData: { id: "\${{ round == 'done' ? '3' : '12' }}", floor: "\${{ round == 'done' ? '12' : '3' }}" } }`)}`;
const KNOWN = [PAIRS[0], PAIRS[1], PAIRS[4], ["two units whose id the token defines", FLATS]] as const;

test.for(KNOWN)("%s: the second record proves the second write if the answer to the first write is known", async ([, steps]) => {
  const { settled, ended } = await both(steps, { gone: "arrives", done: "answered" });
  expect(settled).toEqual({ gone: "applied" });
  expect(ended).toEqual({ done: "changed", gone: "changed" });
});

// The round "gone" loses its mint at once. While it looks for that mint, the round "done" sends its own mint. The list of transactions then
// shows the record of the second mint under an id that no answer names.
test("a mint that is sent during the probe of another mint does not prove that mint", async () => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const [looks, isDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [writes, isLost] = [0, false];
  const exchange = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Exchanged>): Promise<Exchanged> => {
    if (outgoing.fresh && writes++ === 1) {
      isLost = true;
      return LOST;
    }
    if (outgoing.path.includes("/status") && writes > 0) await looks.promise;
    if (isLost) looks.resolve();
    const isList = outgoing.path.includes("/transaction/all");
    if (isList) await isDone.promise;
    const answer = await send(outgoing);
    if (outgoing.fresh && isLost) isDone.resolve();
    return isList && answer.kind === "answered"
      ? { ...answer, text: answer.text.replaceAll('"id":"', '"id":"its-own-') }
      : answer;
  };
  const { stopped } = await runnerForTest()(
    `${HEAD}  - { id: token, uses: ledger.token.create, with: { name: Open, behaviour: { decimal: 0, transferable: true, burnable: true } } }
  - id: both
    foreach: { round: [gone, done], key: round, parallel: 2 }
    block:
      - { id: first, if: round == 'done', uses: ledger.status }
      - { id: mint, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", value: 5 } }
`,
    targetOf(sandbox),
    { exchange },
  );
  expect(stopped).toMatchObject({ step: "mint[gone]", outcome: "unknown" });
});

const NOBODY_WAITS = `uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", value: 10 }, wait: none`;

test.for([
  ["of one run", [`${FUNDS}${each(NOBODY_WAITS)}`]],
  ["of two runs", [`${FUNDS}  - { id: one, ${NOBODY_WAITS} }\n`, `${FUNDS}  - { id: other, ${NOBODY_WAITS} }\n`]],
] as const)("the same answer to two writes %s proves only one of them", async ([, playbooks]) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const folder = folderForTest();
  const answer = Promise.withResolvers<Exchanged>();
  const answered: string[] = [];
  let sent = 0;
  const run = async (steps: string): Promise<unknown> => {
    let isNext = false;
    const observe = (event: RunEvent): void => {
      if (!("step" in event) || event.step === undefined || !/^(both|one|other)/.test(event.step)) return;
      if (event.kind === "attempt.intended") isNext = true;
      if (event.kind === "attempt.answered") answered.push(event.meaning);
    };
    const exchange = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Exchanged>): Promise<Exchanged> => {
      if (!outgoing.fresh || !isNext) return send(outgoing);
      sent += 1;
      if (sent === 2) answer.resolve(await send(outgoing));
      return sent > 2 ? { kind: "no-answer", why: "other side closed" } : answer.promise;
    };
    return runnerForTest(folder)(`${HEAD}${steps}`, { ...targetOf(sandbox), exclusive: false }, { observe, exchange });
  };
  await Promise.all(playbooks.map((steps) => run(steps)));
  expect(answered.filter((meaning) => meaning === "acknowledged")).toHaveLength(1);
});
