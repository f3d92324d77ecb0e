import { inputKeywords, partKeywords } from "./input.ts";
import { type Frame, frameOf } from "./keyword.ts";
import { PLAYBOOK } from "./playbook.ts";
import { STEP } from "./step.ts";

// The frame of the language as JSON Schema, made from its keywords. The editor's schema adds the input of each operation. The check reads
// `with` separately, with types.

/** The frame of a part of an input: an item of a list, a field of an object. `part` is the schema of its own parts. */
export const inputPartFrame = (part?: object): Frame =>
  frameOf(partKeywords(part), { description: "The type of a part of an input." });

/** The frame of one of the `inputs`. */
export const inputFrame = (part?: object): Frame =>
  frameOf(inputKeywords(part), {
    description: "A typed value given when the playbook is run.",
    if: { properties: { type: { const: "file" } }, required: ["type"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { default: { type: "string" } } },
  });

/** The frame of a step. `with` is checked separately, by the step's operation. */
export const stepFrame: Frame = frameOf(STEP, { description: "One call of the service, a block of steps, or another playbook." });

/** The frame of the whole playbook, without the declarations of `inputs` and without the inputs of the steps' operations. */
export const playbookFrame: Frame = frameOf({
  ...PLAYBOOK,
  steps: { ...PLAYBOOK.steps, schema: { ...PLAYBOOK.steps.schema, items: stepFrame } },
});
