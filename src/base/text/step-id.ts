/** What the id of a step or a comparison may be. The words that it may not be mean something else in an expression, or to the runtime. */
export const STEP_ID = "^(?!(?:in|true|false|null|checks|constructor|prototype)$)[a-z][a-z0-9_]*$";
