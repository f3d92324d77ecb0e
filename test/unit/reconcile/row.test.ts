import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyParts, keyText } from "../../../src/reconcile/row.ts";

test("a key is one text, the same as JSON's, whatever its parts are", () => {
  const part = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("", " ", '"', "\\", "\u007f", "\ud800", "~", "user1"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      expect(keyText(parts)).toBe(JSON.stringify(parts));
      expect(keyParts(keyText(parts))).toEqual(parts);
    }),
    { numRuns: 200 },
  );
});
