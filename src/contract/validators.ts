import { SchemaSet, type Validate } from "../schema/validator.ts";
import { contract } from "./contract.ts";
import type { JsonSchema } from "./schema-types.ts";

const schemas = new SchemaSet({ contract });

/** The check of any schema that refers into the contract, for values whose numbers may be exact ones; compiled when first used. */
export function validatorOf(schema: JsonSchema): Validate {
  return schemas.validator(schema);
}

/** The same for values whose numbers are JavaScript's. */
export function plainValidatorOf(schema: JsonSchema): Validate {
  return schemas.plainValidator(schema);
}
