import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import { inlined, type Whole } from "./reference.ts";

/** Says whether a value fits its schema; what is wrong with the last one stands in `errors`. */
export interface Check {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Makes, or finds, the check of a schema. */
export type Compile = (whole: Whole) => Check;

/** How every schema is compiled, here and by the build. */
export const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  discriminator: true,
  // Our schemas are checked by tests, not at each start.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
};

// Optimised code does not earn back what it costs to make.
const ajv = new Ajv2020({ ...OPTIONS, code: { optimize: false } });

/** Compiles now. In `dist/` the build puts checks made by the same compiler in the place of this module. */
export const compile: Compile = (whole) => ajv.compile(inlined(whole));
