import { SchemaSet, type Validate } from "../schema/validator.ts";
import { contract } from "./contract.ts";
import type { JsonSchema } from "./schema-types.ts";

const schemas = new SchemaSet({ contract });

/** Returns the check of any schema that refers to the contract, for values whose numbers may be exact ones; compiled when first used. */
export function validatorOf(schema: JsonSchema): Validate {
  return schemas.validator(schema);
}

/** Returns the same for values whose numbers are JavaScript's. */
export function plainValidatorOf(schema: JsonSchema): Validate {
  return schemas.plainValidator(schema);
}
