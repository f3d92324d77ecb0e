import { expect, test } from "vitest";
import { keysOf, parseAddress, stepOf } from "../../../src/protocol/address.ts";

// Each line has an address, the step as written, all keys, and the frame, id and keys at the end of the address.
const ADDRESSES: readonly (readonly [string, string, readonly string[], string, string, readonly string[]])[] = [
  ["mint", "mint", [], "", "mint", []],
  ["pay[alice][eur]", "pay", ["alice", "eur"], "", "pay", ["alice", "eur"]],
  ["deposit[a/b]/mint", "deposit/mint", ["a/b"], "deposit[a/b]/", "mint", []],
  ["checks[1]", "checks[1]", [], "", "checks[1]", []],
  ["checks[it adds up][T1]", "checks[it adds up]", ["T1"], "", "checks[it adds up]", ["T1"]],
  ["deposit[alice]/checks[2]", "deposit/checks[2]", ["alice"], "deposit[alice]/", "checks[2]", []],
  ["deposit[x/checks]/checks[2][k]", "deposit/checks[2]", ["x/checks", "k"], "deposit[x/checks]/", "checks[2]", ["k"]],
];

test.for(ADDRESSES)("the address %s is read back into its parts", ([address, step, keys, frame, id, own]) => {
  expect(stepOf(address)).toBe(step);
  expect(keysOf(address)).toEqual(keys);
  expect(parseAddress(address)).toEqual({ frame, id, keys: own });
});
