import { ownValue } from "../base/maps.ts";
import { cel } from "../expression/cel.ts";
import { COMPREHENSIONS } from "../expression/syntax.ts";
import type { TypeName } from "../expression/types.ts";
import { typeText } from "./type-text.ts";

/** The description of a function, or of a method of a type. */
export interface FunctionWords {
  /** Its name: `startsWith`. */
  readonly name: string;
  /** The type on which it is called; `undefined` for a function that is not a method. */
  readonly receiver: TypeName | undefined;
  /** Each way of calling it, such as `decimal(string): decimal`. */
  readonly signatures: readonly string[];
  /** What it returns. */
  readonly description: string;
}

// The engine has more functions, such as conversions to bytes or doubles. A function without a text here is not offered.
const WORDS: Readonly<Record<string, string>> = {
  sum: "The exact sum of a list of numbers.",
  decimal: "The exact number that a text holds.",
  re2: "Whether the pattern is found in the text; it ends in time proportional to the text.",
  date: "The moment that a text names, such as `2026-01-31` or `2026-01-31T09:30:00Z`.",
  duration: 'A length of time, such as `duration("36h")`, to add to a date or compare with the difference of two.',
  size: "How many items, fields or characters there are.",
  string: "The value as text.",
  int: "The whole number that a value is.",
  has: "Whether the field is there: `has(steps.mint.id)`.",
  all: "Whether the condition holds for every item: `list.all(item, condition)`.",
  exists: "Whether the condition holds for at least one item: `list.exists(item, condition)`.",
  exists_one: "Whether the condition holds for exactly one item: `list.exists_one(item, condition)`.",
  filter: "The items for which the condition holds: `list.filter(item, condition)`.",
  map: "What the expression gives for each item: `list.map(item, expression)`.",
  startsWith: "Whether the text begins with the other.",
  endsWith: "Whether the text ends with the other.",
  contains: "Whether the other text is in it.",
  lowerAscii: "The text with A to Z in small letters.",
  upperAscii: "The text with a to z in capitals.",
  trim: "The text without the spaces around it.",
  indexOf: "Where the other text first begins, from 0; -1 when it is not there.",
  lastIndexOf: "Where the other text last begins, from 0; -1 when it is not there.",
  substring: "The part from one place up to another.",
  split: "The parts between separators, as a list.",
  join: "The texts of a list as one, with a separator in between.",
  getFullYear: "The year.",
  getMonth: "The month, from 0.",
  getDate: "The day of the month, from 1.",
  getDayOfMonth: "The day of the month, from 0.",
  getDayOfWeek: "The day of the week, from 0 for Sunday.",
  getDayOfYear: "The day of the year, from 0.",
  getHours: "The hours.",
  getMinutes: "The minutes.",
  getSeconds: "The seconds.",
  getMilliseconds: "The milliseconds.",
  orValue: "The value, or the other one where there is none: `steps.x.?field.orValue(other)`.",
  hasValue: "Whether there is a value.",
};

const HIDDEN = /\b(?:bytes|double|uint)\b/;

/** Returns the functions that are not methods, or the methods of a type. */
export function functionsOn(receiver: TypeName | undefined): readonly FunctionWords[] {
  const fitting = all().filter((each) => {
    return each.receiver === undefined || receiver === undefined ? each.receiver === receiver : takes(each, receiver);
  });
  return [...new Map(fitting.map((each) => [each.name, each])).values()];
}

let known: readonly FunctionWords[] | undefined;

function all(): readonly FunctionWords[] {
  known ??= [...Map.groupBy(overloads(), ({ name, receiver }) => `${receiver} ${name}`).values()].flatMap((same) => {
    const signatures = same.flatMap((each) => each.signatures);
    return same.slice(0, 1).map((first) => ({ ...first, signatures }));
  });
  return known;
}

function overloads(): readonly FunctionWords[] {
  return cel.getDefinitions().functions.flatMap(({ name, receiverType, signature }) => {
    const description = ownValue(WORDS, name);
    if (description === undefined || HIDDEN.test(signature) || receiverType?.startsWith("google.") === true) return [];
    return [{ name, receiver: receiverType ?? undefined, signatures: [plain(signature)], description }];
  });
}

function plain(signature: string): string {
  return typeText(signature).replaceAll(/\bast\b/g, "expression");
}

// If the type is only known in a run, every method is offered. Comprehensions also work on maps.
function takes({ name, receiver: own }: FunctionWords, given: TypeName): boolean {
  if (given === "dyn" || own === given) return true;
  if (own === "list<string>") return given === "list<dyn>";
  if (own === "list<dyn>") return given.startsWith("list<") || (given.startsWith("map<") && COMPREHENSIONS.has(name));
  return own?.includes("<") === true && own.split("<")[0] === given.split("<")[0];
}
