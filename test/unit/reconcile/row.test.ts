import { expect, test } from "vitest";
import { keyParts, keyText } from "../../../src/reconcile/row.ts";

test("the text of a key is the JSON of its parts", () => {
  const each = Array.from({ length: 0x2_00 }, (_, code) => String.fromCharCode(code));
  for (const part of [...each, "", "user1", "a b", "\ud800", "\udc00", "\ud83d\ude00", "\u2028", "~"]) {
    for (const parts of [[part], [part, "x"], ["", `x${part}`, part]]) {
      expect(keyText(parts)).toBe(JSON.stringify(parts));
      expect(keyParts(keyText(parts))).toEqual(parts);
    }
  }
  expect(keyText([])).toBe("[]");
});
