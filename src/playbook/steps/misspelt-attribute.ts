import type { Finding } from "../../source/diagnostic.ts";

/** The finding of an attribute of an entity that is almost one that entities have. */
export function misspeltAttribute({ attribute, near }: { readonly attribute: string; readonly near: string }): Finding {
  return {
    code: "playbook.entity-attribute",
    message: `an entity has "${near}", and this says "${attribute}"`,
    suggestion: `did you mean "${near}"?`,
  };
}
