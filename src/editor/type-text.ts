import type { TypeName } from "../expression/types.ts";

/** Returns the name of a type for people. */
export function typeText(type: TypeName): string {
  return type
    .replaceAll("google.protobuf.Timestamp", "date")
    .replaceAll("google.protobuf.Duration", "duration")
    .replaceAll(/\bdyn\b/g, "any");
}
