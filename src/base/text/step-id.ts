/** The pattern of the id of a step or a comparison. The excluded words have another meaning in expressions, or in the runtime. */
export const STEP_ID = "^(?!(?:in|true|false|null|checks|constructor|prototype)$)[a-z][a-z0-9_]*$";
