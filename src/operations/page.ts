import { LIMITS } from "../base/limits.ts";
import type { JsonObject } from "../base/json/json.ts";
import { type ContractOperation, resolve } from "../contract/contract.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { writeYaml } from "../source/write-yaml.ts";
import { inputParameters, inputSchema, itemSchema, responseSchema } from "./input.ts";
import { hasEntities } from "../services/services.ts";
import type { EffectClass, WriteMeaning } from "../services/meaning.ts";
import { exampleInput } from "./example.ts";
import type { Operation } from "./operation.ts";
import { isServerError } from "./own-error.ts";
import { fieldsOf, type PageField, type PageType, typesBelow, typeWords } from "./page-types.ts";

/** The reference page of an operation, with `code` in backticks. It is shown as text and as Markdown. */
export interface OperationPage extends Pick<
  ContractOperation,
  "name" | "summary" | "description" | "conditions" | "furtherConditions"
> {
  /** The method, the path and the interface. */
  readonly call: string;
  /** What a request does, whether it can be repeated, and how to find its outcome. */
  readonly facts: readonly PageFact[];
  /** The fields of `with`. */
  readonly input: readonly PageField[];
  /** The rules for the input as a whole. */
  readonly inputNotes: readonly string[];
  /** The expressions that later steps can use: `steps.ID.response` and the others. */
  readonly yields: readonly PageField[];
  /** What each kind of failure means for a step. */
  readonly failures: readonly PageFact[];
  /** The types in the input and the answer. */
  readonly types: readonly PageType[];
  /** The parts of the service description: the endpoint, then those that the contract names for it. */
  readonly restsOn: readonly string[];
  /** One step as YAML. */
  readonly example: string;
}

/** One row of a page: a label, and its text. */
export interface PageFact {
  /** What the row is about, in a few words. */
  readonly label: string;
  /** The text of the row. */
  readonly text: string;
}

/** The headings of a page's parts, the same in every format. */
export const HEADINGS = {
  input: "Input (`with`)",
  yields: "Yields",
  failures: "How it can fail",
  conditions: "The service refuses with one of these, which `fails: {condition: …}` can expect:",
  furtherConditions: "The sandbox also refuses with these. The description has no words for them; your service may use others:",
  noConditions: "The service description lists no condition under which it refuses.",
  types: "Types",
  restsOn: "Rests on these parts of the service description",
  example: "Example",
  noInput: "None: leave `with` out.",
  required: "`*` required",
} as const;

const EFFECTS: Readonly<Record<EffectClass, string>> = {
  read: "changes nothing",
  unique: "creates something under an id of its own",
  absolute: "sets a value: a second one changes nothing, unless something else was written in between",
  marked: "creates a request that carries the mark of the run and its step, by which it is found again",
  transition: "moves a named thing from one state to another, once",
  additive: "adds or takes away: a second one would do so again",
};

// What a run does after a lost answer, when it has searched for the effect for a while.
const LOST: Readonly<Record<WriteMeaning["effect"], string>> = {
  unique:
    "searched for; sent again if it is not found, because a second one is refused, unless a later step takes away what it makes",
  absolute: "searched for; sent again if it is not found, unless a later step sets the same thing",
  marked: "searched for, and never sent again",
  transition: "searched for, and never sent again",
  additive:
    "searched for, and never sent again; the effect of someone else's write is ruled out only if the environment says `exclusive: true`",
};

/** Returns the page of an operation. */
export function pageOf(operation: Operation): OperationPage {
  const { name, call } = operation;
  const input = inputSchema(operation);
  return {
    name,
    summary: call.summary,
    call: `\`${call.method} ${call.path}\` of the ${call.interface} interface`,
    description: call.description,
    facts: factsOf(operation),
    input: fieldsOf(input),
    inputNotes: inputNotes(operation, input),
    yields: yieldedFields(operation),
    conditions: call.conditions.filter((condition) => isRefusal(condition, operation)),
    furtherConditions: call.furtherConditions.filter((condition) => isRefusal(condition, operation)),
    failures: failuresOf(operation),
    types: typesBelow([input, ...answerSchemas(operation)]),
    restsOn: [`Endpoints ${call.section}: \`${call.method} ${call.path}\``, ...call.restsOn],
    example: writeYaml([exampleStep(operation)]),
  };
}

function factsOf(operation: Operation): readonly PageFact[] {
  const { meaning, call, service, async } = operation;
  const written = meaning.effect === "read" ? undefined : meaning;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Effect", `${written === undefined ? "read" : `write (${written.effect})`}: ${EFFECTS[meaning.effect]}`],
    ["Repeat", repeating(meaning.effect, call)],
    [
      "As",
      hasEntities(service)
        ? `an actor with an entity of the ${service.name}, such as \`userId:alice\`${written !== undefined ? `, or \`{ ${service.name}: key }\`; a write must say who acts` : ""}`
        : `an actor with a credential of the ${service.name} interface`,
    ],
    ["Fills in", meaning.fills],
    ["Receipt", written !== undefined && service.receipts !== undefined ? receipt(async) : undefined],
    ["Found by", meaning.discovery === undefined ? undefined : `reading \`${meaning.discovery.read}\` for that mark`],
    [
      "Lost answer",
      written === undefined ? undefined : `${written.lost ?? LOST[written.effect]}; without evidence it stays \`unknown\``,
    ],
    ["Seen in", written?.readBack],
    ["Pages", call.paging === undefined ? undefined : pages(operation)],
  ];
  return facts.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]));
}

function repeating(effect: EffectClass, { conditions }: ContractOperation): string {
  if (effect === "read") return "safe: repeated automatically when the network or the service fails";
  const [refusal] = effect === "unique" ? conditions.filter((condition) => condition.includes("already")) : [];
  const second = refusal === undefined ? "" : `; the service refuses a second one with \`${refusal}\``;
  return `sent again automatically only when it surely had no effect: it was never sent, or the service refused it${second}`;
}

function receipt(async: boolean): string {
  const sent = async ? "sent with `async=true`, so the receipt id comes at once" : "the answer comes after the commit";
  return `${sent}; the step passes when the receipt reports success (\`wait\`)`;
}

function pages({ call, service: { paging } }: Operation): string {
  const joined =
    paging.gives === "the records" ? "the response is one list" : `the response has one list, \`${call.paging?.items ?? ""}\``;
  return `read ${paging.how} to the end, at most ${LIMITS.pages} pages: ${joined}; \`pages: first\` or a number reads fewer`;
}

function inputNotes(operation: Operation, { properties = {}, required = [] }: JsonSchema): readonly string[] {
  const side = operation.call.interface;
  const open = inputParameters(operation).flatMap(({ name, profile }) => (profile === undefined ? [] : [`\`${name}\``]));
  const fields = operation.batches ? resolve(itemSchema(operation))["x-profile"] : undefined;
  return [
    ...(Object.keys(properties).length === 0 ? [HEADINGS.noInput] : []),
    ...(required.length === 0 ? [] : [HEADINGS.required]),
    ...(operation.batches ? ["or `items:` with a list of these, for a deliberate batch in one call"] : []),
    ...(open.length === 0 ? [] : [`the profile's \`${side}.parameters\` gives the names on the wire: ${open.join(", ")}`]),
    ...(fields === undefined ? [] : [`the profile's \`${side}.fields.${fields}\` gives the names on the wire: all fields`]),
  ];
}

function yieldedFields(operation: Operation): readonly PageField[] {
  const { writes, service, yields } = operation;
  const response = responseSchema(operation);
  const [type, description] =
    response === undefined
      ? ["null", "nothing: the service answers without content"]
      : [typeWords(response), "the answer of the service"];
  const whole = { name: "response", type, description, required: false };
  const named = Object.entries(yields).map(([name, { type: kind, description: what }]) => ({
    name,
    type: kind === "string" ? "text" : "list of text",
    description: what,
    required: false,
  }));
  const more = [
    ...(writes && service.receipts !== undefined
      ? [
          [
            "receipt",
            "Receipt",
            "the receipt that the step waited for; a lost answer also loses its id, and then there is no receipt",
          ],
        ]
      : []),
    ...(service.envelope === undefined
      ? []
      : [["envelope", "object", `the fields beside the response: ${service.envelope.holds}`]]),
    ["outcome", "text", writes ? "`changed`, `unchanged`, or `skipped`" : "`ok`, or `skipped`"],
  ].map(([name = "", kind = "", what = ""]) => ({ name, type: kind, description: what, required: false }));
  return [whole, ...named, ...more].map((field) => ({ ...field, name: `steps.ID.${field.name}` }));
}

function failuresOf({ writes, call, service }: Operation): readonly PageFact[] {
  const failing = ["no answer", ...(call.conditions.some(isServerError) ? ["a server error"] : [])];
  const other = "an answer that does not fit the contract";
  if (!writes) {
    const strange = {
      label: "Another answer",
      text: `${other}: \`failed\`, with the field and what was expected; it is never used`,
    };
    return [
      { label: "Refused", text: "the step is `failed` (exit 1)" },
      { label: "Unanswered", text: `${failing.join(", ")}: asked up to ${LIMITS.readAttempts} times, then \`failed\`` },
      ...(call.response === undefined ? [] : [strange]),
    ];
  }
  const hasReceipts = service.receipts !== undefined;
  return [
    { label: "Refused", text: "the step is `failed` (exit 1), and nothing was changed" },
    ...(hasReceipts ? [{ label: "Receipt FAILED", text: "`failed`, with the receipt's message" }] : []),
    {
      label: "Otherwise",
      text: `${[...failing, other, ...(hasReceipts ? ["a receipt that stays open"] : [])].join(", ")}: \`unknown\` (exit 5)`,
    },
  ];
}

// A server failure does not refuse a write, which may have taken effect. But a receipt can report the failure.
function isRefusal(condition: string, { writes, async }: Operation): boolean {
  return !writes || async || !isServerError(condition);
}

function answerSchemas(operation: Operation): readonly JsonSchema[] {
  const response = responseSchema(operation);
  const { receipts } = operation.service;
  return [
    ...(response === undefined ? [] : [response]),
    ...(operation.writes && receipts !== undefined ? [receipts.schema] : []),
  ];
}

/** Returns one step that calls the operation. */
function exampleStep(operation: Operation): JsonObject {
  const input = exampleInput(operation);
  const step = { id: "example", as: operation.service.exampleActor, uses: operation.name };
  return Object.keys(input).length === 0 ? step : { ...step, with: input };
}
