import { expect, test } from "vitest";
import { standInFor } from "../../../src/playbook/settings/stand-in.ts";

test("a stand-in has only the form of the secret", () => {
  const secret = "Aa0-1234 5678/Zz_é漢".repeat(5);
  const standIn = standInFor(secret, "a key");
  expect(standIn).toMatch(/^(?:[A-Z][a-z]\d-[1-9]{4} [1-9]{4}\/[A-Z][a-z]_[a-z]{2}){5}$/);
  expect(standIn).not.toBe(secret);
  expect(standInFor(secret, "a key")).toBe(standIn);
  expect(standInFor(secret, "another key")).not.toBe(standIn);
  expect(standInFor("70031992881", "a key")).toMatch(/^[1-9]\d\d[1-9]{8}$/);
});

test("a secret without letters and digits gets a stand-in too", () => {
  expect(standInFor("!!!???--", "a key")).toBe("xxxxxxxx");
});
