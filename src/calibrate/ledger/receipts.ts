import { primaryKeyOf } from "../../contract/profile.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field, text } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import type { CalibrationFindings, ObservedExchange } from "../finding.ts";
import type { CalibrationWriter, WriteOutcome } from "./writer.ts";

/** The statuses of one receipt until its status stayed the same. */
interface ReceiptCourse {
  /** The status words in order, each once. */
  readonly words: readonly string[];
  readonly evidence: readonly ObservedExchange[];
}

const PENDING = ["ledger", "receipt", "pending"];
const COMMITTED = ["ledger", "receipt", "committed"];
const FAILED = ["ledger", "receipt", "failed"];
const NAMES = ["ledger", "receipt", "namesTransaction"];

/**
 * Words that services use for a write that is still in progress, such as `COMMITTING` and `NOT_FINAL`. Such a word never counts as final, even if it comes
 * after another one: an effect may be visible long before the receipt says its last word.
 */
const GOES_ON =
  /pend|wait|submit|process|queue|progress|accept|receiv|open|new|start|creat|init|run|sent|order|endors|ing(?![a-z])|partial|(?:^|[^a-z])(?:not|pre|to)(?![a-z])|un(?:commit|confirm|complet|final|finish|settled)|incomplete|precommit/i;

/** Words that services use for a write that is done or has failed. Any other word only counts as final if it comes after another one. */
const DONE = /commit|succe|done|complet|confirm|final|valid|appli|finish|ok|settled/i;
const FAILS = /fail|error|reject|refus|invalid|abort|declin|broken|denied|bad|cancel|roll/i;

/** The asset whose receipt was followed. */
export interface FirstAsset {
  readonly assetType: string;
  /** The id that the calibration gave it. */
  readonly id: string;
  /** The asset as the ledger shows it after its creation. */
  readonly asset: JsonObject;
}

/**
 * Creates an asset and then the same asset again, and follows both receipts. The first write takes effect, and the second one cannot. Returns the asset;
 * `undefined` if it was not created.
 */
export async function findReceiptWords(writer: CalibrationWriter, assetType: string): Promise<FirstAsset | undefined> {
  const { asker, tag } = writer;
  const { findings } = asker;
  const id = `${tag}Asset`;
  const key = primaryKeyOf(writer.profile.ledger, assetType);
  const read = (): Promise<Json | undefined> => writer.read("ledger.asset.get", { assetType, id });
  const began = asker.clock.elapsed();
  const first = await writer.send("ledger.asset.create", { assetType, data: { [key]: id } });
  if (first.kind !== "done" || first.receiptId === undefined) {
    for (const setting of [COMMITTED, FAILED, PENDING, NAMES])
      findings.leave(setting, "the creation of an asset gave no receipt", first.evidence);
    return first.kind === "done" ? seen(writer, assetType, id) : undefined;
  }
  const course = await follow(writer, first.receiptId, async () => isObject(await read()));
  const asset = await read();
  writer.readsReceipts = course !== undefined && isObject(asset);
  if (course === undefined || !isObject(asset)) {
    writer.unclear.push(first.answer.exchange.request);
    for (const setting of [COMMITTED, FAILED, PENDING, NAMES])
      findings.leave(setting, "the receipt and the asset were not seen in time", first.evidence);
    return undefined;
  }
  const ms = Math.round(asker.clock.elapsed() - began);
  findings.facts.push({ about: "receipts", says: `a write took effect, and its receipt reported this, within ${ms} ms` });
  decideCommitted(findings, course);
  writer.readsReceipts = findings.isDecided(COMMITTED);
  if (!writer.readsReceipts) return { assetType, id, asset };
  const second = await writer.send("ledger.asset.create", { assetType, data: { [key]: id, again: "true" } });
  await findFailed(writer, second, async () => jsonEquals((await read()) ?? null, asset));
  return { assetType, id, asset };
}

async function seen(writer: CalibrationWriter, assetType: string, id: string): Promise<FirstAsset | undefined> {
  const asset = await writer.read("ledger.asset.get", { assetType, id });
  return isObject(asset) ? { assetType, id, asset } : undefined;
}

// A status word is final if it is still the same some looks after the effect was seen.
async function follow(
  writer: CalibrationWriter,
  receiptId: string,
  isSettled: () => Promise<boolean>,
): Promise<ReceiptCourse | undefined> {
  const { clock, stopping } = writer.asker;
  const until = clock.elapsed() + LIMITS.calibrateReceiptMs;
  const words: string[] = [];
  const evidence: ObservedExchange[] = [];
  let same = 0;
  for (let looks = 1; clock.elapsed() < until && !stopping.aborted; looks++) {
    const raw = await writer.receipt(receiptId);
    const body = writer.asker.payload(raw);
    const word = text(field(body, "status"));
    if (word !== undefined && word !== words.at(-1)) {
      words.push(word);
      evidence.push(raw.exchange);
      same = 0;
    }
    if (word !== undefined && (same > 0 || (await isSettled()))) same += 1;
    if (same >= LIMITS.calibrateLooks) return { words, evidence };
    await writer.pause(looks);
  }
  return undefined;
}

function decideCommitted(findings: CalibrationFindings, { words, evidence }: ReceiptCourse): void {
  const word = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const present = findings.profile.ledger.receipt;
  const isFinal = present.committed.includes(word) || (!GOES_ON.test(word) && (before.length > 0 || DONE.test(word)));
  if (!isFinal || new Set(words).size !== words.length) {
    return findings.leave(
      COMMITTED,
      `the only word that was seen is ${word}, which may mean that the write is still under way`,
      evidence,
    );
  }
  const found = present.committed.includes(word) ? [...present.committed] : [word];
  const why = "the receipt of a write whose effect was seen shows this word, and still shows it some reads later";
  findings.observe(COMMITTED, found, why, evidence);
  const [pending] = before;
  if (pending === undefined) findings.leave(PENDING, "the first look at a receipt found the write committed", evidence);
  else findings.observe(PENDING, pending, "the receipt showed this word before the write took effect", evidence);
}

/**
 * Decides whether receipts name their transactions, from every look at a receipt that said that a write is committed. A service that names it only sometimes
 * must not be trusted where it names none.
 */
export function decideNames({ asker: { findings }, profile, receipts }: CalibrationWriter): void {
  const committed = receipts.filter(({ status }) => profile.ledger.receipt.committed.includes(status));
  const naming = committed.filter(({ named }) => named !== undefined);
  const silent = committed.filter(({ named }) => named === undefined);
  const other = naming.find(({ named, written }) => written !== undefined && named !== written);
  const shown = (looks: typeof committed): readonly ObservedExchange[] => looks.slice(0, 1).map(({ exchange }) => exchange);
  if (committed.length === 0) return;
  if (other !== undefined)
    return findings.leave(NAMES, "a receipt names another transaction than the answer to the write", shown([other]));
  if (naming.length > 0 && silent.length > 0)
    return findings.leave(NAMES, "some receipts name their transaction, and others do not", [...shown(naming), ...shown(silent)]);
  if (new Set(committed.map(({ receiptId }) => receiptId)).size === 1)
    return findings.leave(NAMES, "only one write had a receipt", shown(committed));
  const says = naming.length > 0 ? "every receipt names its transaction" : "no receipt names a transaction";
  findings.observe(NAMES, naming.length > 0, says, shown(committed));
}

// The asset is unchanged, so the second creation had no effect, whatever its receipt calls that.
async function findFailed(writer: CalibrationWriter, second: WriteOutcome, isUnchanged: () => Promise<boolean>): Promise<void> {
  const { findings } = writer.asker;
  if (second.kind !== "done" || second.receiptId === undefined)
    return findings.leave(FAILED, "a write that breaks a rule is refused at once, and gets no receipt", second.evidence);
  const committed = findings.profile.ledger.receipt.committed;
  const { pending } = findings.profile.ledger.receipt;
  let word: string | undefined;
  const course = await follow(writer, second.receiptId, async () => word !== pending && (await isUnchanged()));
  word = course?.words.at(-1);
  const evidence = course?.evidence ?? second.evidence;
  if (course === undefined || word === undefined || committed.includes(word) || !(await isUnchanged()))
    return findings.leave(FAILED, "the second creation of an asset did not clearly fail", evidence);
  const present = findings.profile.ledger.receipt.failed;
  const isFinal =
    present.includes(word) || (word !== pending && !GOES_ON.test(word) && (course.words.length > 1 || FAILS.test(word)));
  if (!isFinal)
    return findings.leave(
      FAILED,
      `the only word that was seen is ${word}, which may mean that the write is still under way`,
      evidence,
    );
  const found = present.includes(word) ? [...present] : [word];
  const why = "the receipt of a second creation of the same asset shows this word, and the asset is unchanged";
  findings.observe(FAILED, found, why, evidence);
}
