import { SchemaSet, type Validate } from "../schema/validator.ts";
import { contract } from "./contract.ts";
import type { JsonSchema } from "./schema-types.ts";

const schemas = new SchemaSet({ contract });

/** The check of any schema that refers into the contract; compiled when first used. */
export function validatorOf(schema: JsonSchema): Validate {
  return schemas.validator(schema);
}
