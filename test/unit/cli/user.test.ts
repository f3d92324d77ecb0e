import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userOf } from "../../../src/cli/shell.ts";

test("who calls is named by the variables of a login, and by the account where there are none, as in a container", () => {
  expect(userOf({ variables: { USER: "olga", LOGNAME: "o" } })).toBe("olga");
  expect(userOf({ variables: { LOGNAME: "olga" } })).toBe("olga");
  expect(userOf({ variables: {} })).toBe(userInfo().username);
});
