import { inputKeywords, partKeywords } from "./input.ts";
import { type Frame, frameOf } from "./keyword.ts";
import { PLAYBOOK } from "./playbook.ts";
import { STEP } from "./step.ts";

// The frame of the language as JSON Schema, made from its keywords. The editor's schema adds the input of each operation; the check
// reads `with` separately, with types.

/** The frame of a part of an input: an item of a list, a field of an object. `part` is the schema of its own parts. */
export const inputPartFrame = (part?: object): Frame =>
  frameOf(partKeywords(part), { description: "The type of a part of an input." });

/** One of the `inputs`. */
export const inputFrame = (part?: object): Frame =>
  frameOf(inputKeywords(part), {
    description: "A typed value given when the playbook is run.",
    if: { properties: { type: { const: "file" } }, required: ["type"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { default: { type: "string" } } },
  });

/** The fields of a step; `with` is checked apart, by its operation. */
export const stepFrame: Frame = frameOf(STEP, { description: "One call of the service, a block of steps, or another playbook." });

/** The frame of the whole playbook: steps without the inputs of their operations, `inputs` without their declarations. */
export const playbookFrame: Frame = frameOf({
  ...PLAYBOOK,
  steps: { ...PLAYBOOK.steps, schema: { ...PLAYBOOK.steps.schema, items: stepFrame } },
});
