/** The description of a tool, for an assistant. */
export interface ToolWords {
  /** What the tool does, in the words that the assistant reads. */
  readonly description: string;
  /** Whether the tool writes. Such a tool is offered only if writes are allowed, and runs one call at a time. */
  readonly writes: boolean;
  /** The JSON Schema of its input. */
  readonly input: object;
}

/** The tools, in order. None of them records a person's decision, calls a single operation or shows a secret. */
export type ToolName = "operations" | "check" | "plan" | "run" | "resume" | "status" | "explain-unknown" | "drift";

const text = (description: string): object => ({ type: "string", minLength: 1, maxLength: 1_000, description });

function takes(properties: Readonly<Record<string, object>>, ...required: readonly string[]): object {
  return { type: "object", additionalProperties: false, properties, required };
}

const RUN = text("the id of a run, a part of it, its key, or `latest`");

/** The texts and schemas of all tools. */
export const TOOL_WORDS: Readonly<Record<ToolName, ToolWords>> = {
  operations: {
    description: "Lists the operations that the steps of a playbook can use, searches them by words, or shows one in full.",
    writes: false,
    input: takes({ words: text("words to search for, or the name of one operation") }),
  },
  check: {
    description: "Finds every mistake in a playbook that can be found without a network: structure, names, types, order.",
    writes: false,
    input: takes({ playbook: text("the file of the playbook") }, "playbook"),
  },
  plan: {
    description:
      "Previews a run of a playbook without writing: what would be created, what is already done, what would fail. Returns the digest by which `run` runs it.",
    writes: false,
    input: takes(
      {
        playbook: text("the file of the playbook"),
        inputs: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "the inputs by their names; each value as a text, so that numbers stay exact",
        },
        environment: text("the environment of tokenbook.yaml; its first one when left out"),
      },
      "playbook",
    ),
  },
  run: {
    description:
      "Runs a plan, once. Choose a key that names the run, such as ORDER-17. When the answer is lost, repeat the same call: it returns the same run, continued if it was interrupted, and never a second one.",
    writes: true,
    input: takes({ plan: text("the digest that `plan` returned"), key: text("the name of the run") }, "plan", "key"),
  },
  resume: {
    description:
      "Continues a run that stopped, was interrupted, or waits for approval. It looks at the ledger first, and never repeats a write whose outcome is unknown.",
    writes: true,
    input: takes({ run: RUN }, "run"),
  },
  status: {
    description: "Shows a run with the outcome of each step, by its id or its key; without either, lists the latest runs.",
    writes: false,
    input: takes({ run: RUN, key: text("the key with which `run` was called") }),
  },
  "explain-unknown": {
    description:
      "Lists the writes of a run with unknown outcome, and what was seen of them. Only a person can record such an outcome, after looking at the ledger.",
    writes: false,
    input: takes({ run: RUN }, "run"),
  },
  drift: {
    description: "Lists the differences that reconciliations found, or explains one: what both sides said, and its history.",
    writes: false,
    input: takes({ drift: text("the id of a drift, or its beginning") }),
  },
};
