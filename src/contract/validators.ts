import { SchemaSet, type Validate } from "../schema/validator.ts";
import { contract } from "./contract.ts";
import type { JsonSchema } from "./schema-types.ts";

const schemas = new SchemaSet({ contract });

/** Returns the check of a schema that may refer to the contract, for values with exact numbers. It is compiled at its first use. */
export function validatorOf(schema: JsonSchema): Validate {
  return schemas.validator(schema);
}

/** Returns the same check for values with JavaScript numbers. */
export function plainValidatorOf(schema: JsonSchema): Validate {
  return schemas.plainValidator(schema);
}
