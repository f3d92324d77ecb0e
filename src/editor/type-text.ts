import type { TypeName } from "../expression/types.ts";

/** A type as people call it. */
export function typeText(type: TypeName): string {
  return type
    .replaceAll("google.protobuf.Timestamp", "date")
    .replaceAll("google.protobuf.Duration", "duration")
    .replaceAll(/\bdyn\b/g, "any");
}
