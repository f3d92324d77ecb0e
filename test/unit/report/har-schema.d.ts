// The package has no types of its own.
declare module "har-schema" {
  const schemas: Readonly<Record<string, import("ajv").AnySchemaObject>>;
  export default schemas;
}
