import { parseDuration } from "../../base/time/duration.ts";
import { LIMITS } from "../../base/limits.ts";
import { TAG_PATTERN } from "../../base/text/tag.ts";
import { didYouMean } from "../../base/text/text.ts";
import { COVERAGE_FORMATS, DIMENSION_NAMES, type Thresholds } from "../../coverage/dimensions.ts";
import { FORMATS, type ReportRequest } from "../../report/formats/format.ts";

/** The value of an option or an argument is wrong. The message says what would be right. Commander recognizes this error by its code. */
export class WrongArgument extends Error {
  override readonly name = "WrongArgument";
  readonly code = "commander.invalidArgument";
  readonly exitCode = 1;
}

const KEY = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:/@+=-]{0,${LIMITS.keyChars - 1}}$`);

/** Reads the key that a caller gives to a run. */
export function callersKey(text: string): string {
  if (KEY.test(text)) return text;
  throw new WrongArgument(
    `It must begin with a letter or digit, and hold up to ${LIMITS.keyChars} letters, digits and . _ : / @ + = -`,
  );
}

/** Reads a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongArgument("It must be a whole number.");
  return Number(text);
}

/** Reads a count of 1 or more. A list of 0 entries would look as if there were nothing. */
export function countingNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new WrongArgument("It must be 1 or more.");
  return number;
}

/** Returns a reader of a count from 1 up to a limit. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = countingNumber(text);
    if (number > most) throw new WrongArgument(`It must be ${most} or less.`);
    return number;
  };
}

/** Reads an age in milliseconds: `90d`. */
export function age(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new WrongArgument("Write a number and a unit (s, m, h, d), as in 90d.");
  return ms;
}

const MOST_PORT = 65_535;

/** Reads a port. 0 means any free port. */
export function port(text: string): number {
  const number = wholeNumber(text);
  if (number > MOST_PORT) throw new WrongArgument(`It must be a port: 0 to ${MOST_PORT}.`);
  return number;
}

const TAG = new RegExp(TAG_PATTERN);

/** Reads tags: `smoke,!slow`. */
export function tagList(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  if (!tags.every((tag) => TAG.test(tag.replace(/^!/, "")))) throw new WrongArgument("Write tags as in smoke,!slow.");
  return tags;
}

const LABEL = /^[a-z0-9][a-z0-9_-]{0,49}$/;

/** Reads the label of a queue: `reports`. */
export function queueLabel(text: string): string {
  if (!LABEL.test(text)) throw new WrongArgument("Write a label in lower case, as in reports.");
  return text;
}

/** Reads labels: `reports,default`. */
export function queueLabels(text: string): readonly string[] {
  return [...new Set(text.split(",").map((label) => queueLabel(label.trim())))];
}

const LOOPBACK = "127.0.0.1";

/** Reads an address to listen on: HOST:PORT, [IPV6]:PORT, or PORT for this machine only. */
export function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:(?:\[([^\]]+)\]|([^:\]]*)):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) > MOST_PORT)
    throw new WrongArgument("Write it as HOST:PORT, or as a port of this machine.");
  return { host: bracketed ?? (plain === undefined || plain === "" ? LOOPBACK : plain), port: Number(digits) };
}

/** Adds a name to those before it. */
export function collectName(name: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), name];
}

/** Adds the value of an input, written as NAME=VALUE, to those before it. */
export function collectInput(text: string, before: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new WrongArgument("Write it as NAME=VALUE.");
  const key = text.slice(0, at);
  if (before !== undefined && Object.hasOwn(before, key))
    throw new WrongArgument(`${key} is given twice, and only one of the two could count.`);
  return { ...before, [key]: text.slice(at + 1) };
}

// File names may contain commas, so a comma separates two reports only if a format follows.
const BETWEEN_REPORTS = new RegExp(`,(?=(?:${FORMATS.join("|")})=)`);

type CollectReport = (text: string, before: readonly ReportRequest[]) => readonly ReportRequest[];

/** Adds a list of reports, written as FORMAT=FILE,FORMAT=FILE, to those before it. */
export const collectReport: CollectReport = reportsAs(FORMATS);
/** Does the same for coverage, and names only the formats that coverage has. */
export const collectCoverageReport: CollectReport = reportsAs(COVERAGE_FORMATS);

function reportsAs(offered: readonly string[]): CollectReport {
  return (text, before) => [...before, ...text.split(BETWEEN_REPORTS).map((each) => reportRequest(each, offered))];
}

function reportRequest(text: string, offered: readonly string[]): ReportRequest {
  const [, name, file = ""] = /^([^=]*)=?([^]*)$/.exec(text) ?? [];
  const format = FORMATS.find((each) => each === name);
  if (format !== undefined && file !== "") return { format, file };
  const near = format === undefined ? didYouMean(name ?? "", offered) : undefined;
  throw new WrongArgument(
    `Write it as FORMAT=FILE, with a format of ${offered.join(", ")}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}

/** One of several equal parts of a list of playbooks. */
export interface Shard {
  /** Which part it is, from 1. */
  readonly number: number;
  /** How many parts there are. */
  readonly of: number;
}

/** Reads which part of the playbooks to run: `2/5`. */
export function shard(text: string): Shard {
  const [, number, of] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text)?.map(Number) ?? [];
  if (number !== undefined && of !== undefined && number <= of) return { number, of };
  throw new WrongArgument("Write it as NUMBER/TOTAL, from 1/TOTAL to TOTAL/TOTAL, as in 2/5.");
}

/** Reads thresholds of coverage: `operations=100,refusals=80`. */
export function thresholds(text: string, before: Thresholds | undefined): Thresholds {
  return text.split(",").reduce<Thresholds>((all, each) => {
    const [, name = "", percent] = /^(\w+)=(100|\d{1,2})$/.exec(each.trim()) ?? [];
    const dimension = DIMENSION_NAMES.find((known) => known === name);
    if (dimension !== undefined) return { ...all, [dimension]: Number(percent) };
    throw new WrongArgument(`Write it as DIMENSION=PERCENT, with a dimension of ${DIMENSION_NAMES.join(", ")}.`);
  }, before ?? {});
}
