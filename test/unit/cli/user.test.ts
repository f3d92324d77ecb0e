import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userOf } from "../../../src/cli/shell.ts";

test("the user is named by the variables of the login, or by the account if there are none, as in a container", () => {
  expect(userOf({ variables: { USER: "olga", LOGNAME: "o" } })).toBe("olga");
  expect(userOf({ variables: { LOGNAME: "olga" } })).toBe("olga");
  expect(userOf({ variables: {} })).toBe(userInfo().username);
});
