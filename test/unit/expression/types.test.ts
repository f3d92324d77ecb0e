import { expect, test } from "vitest";
import { isTypeName, TypeEnvironment } from "../../../src/expression/types.ts";

function environment(): TypeEnvironment {
  const types = TypeEnvironment.empty();
  types.define("Account", { id: "string", balance: "decimal", owner: "map<string, string>", note: "dyn" });
  types.define("Holder", { account: "Account" });
  return types.with({
    response: "list<Account>",
    account: "Account",
    count: "int",
    custodian: "map<string, string>",
    holder: "Holder",
  });
}

const types = environment();

function wrong(text: string): { code: string; at: string; suggestion: string | undefined } {
  const checked = types.check(text);
  if (isTypeName(checked)) throw new Error(`${text} is ${checked}`);
  return { code: checked.code, at: text.slice(checked.start, checked.end), suggestion: checked.suggestion };
}

test.for([
  ["account.balance", "decimal"],
  ["1", "int"],
  ["1.0", "decimal"],
  ["account.balance + 1", "decimal"],
  ["count % 2", "int"],
  ["account.balance > 0 ? account.balance : 0", "decimal"],
  ["account.?balance.orValue(0)", "decimal"],
  ["holder.?account.balance.orValue(-1)", "decimal"],
  ["response[?0].or(optional.of(account)).orValue(account).balance", "decimal"],
  ["account.?note.orValue(0)", "dyn"],
  ["count > 0 ? -1 : count > 1 ? 0 : 1.5", "decimal"],
  ["count > 0 ? [account.balance] : [1, 2]", "list<decimal>"],
  ["response.map(a, a.balance) + [1]", "list<decimal>"],
  ["[0] + response.map(a, a.balance) + [1] == [1.5]", "bool"],
  ["count > 0 ? 1 : 0", "int"],
  ["[1] + [2]", "list<int>"],
  ["response[count > 0 ? 0 : 1].balance", "decimal"],
  ["count / 2", "decimal"],
  ["[1, 2].map(n, n / 2)", "list<decimal>"],
  ["count / account.balance", "decimal"],
  ["response[int(count / 2)].id", "string"],
  ["date(account.id) >= date(account.note)", "bool"],
  ["account.balance % 2 == 1", "bool"],
  ["account.balance == 100", "bool"],
  ["100 == account.balance", "bool"],
  ["account.owner == custodian", "bool"],
  ["account.note == null", "bool"],
  ["account.note == 5", "bool"],
  ["response.map(a, a.balance)", "list<decimal>"],
  ["sum(response.map(a, a.balance))", "decimal"],
  ["response.exists(a, a.owner == custodian && a.balance == 100)", "bool"],
  ["response[0].id", "string"],
  ['re2(account.id, "^T")', "bool"],
  ["has(account.note) ? account.id : string(1.5)", "string"],
])("%s has the type %s", ([text, type]) => {
  expect(types.check(text ?? "")).toBe(type);
});

test("a misspelt field is reported at its place, with the nearest name", () => {
  expect(wrong("account.balnce > 1")).toEqual({
    code: "expression.unknown-field",
    at: "balnce",
    suggestion: 'did you mean "balance"?',
  });
  expect(wrong('account["balnce"] > 1')).toMatchObject({
    at: '"balnce"',
    suggestion: 'did you mean "balance"?',
  });
  expect(wrong("response.exists(a, a.ownr == custodian)")).toMatchObject({ at: "ownr", suggestion: 'did you mean "owner"?' });
  expect(wrong("holder.balance"), "a field of a field").toMatchObject({
    at: "balance",
    suggestion: 'did you mean "account.balance"?',
  });
  expect(wrong("account.zzzzzzzz").suggestion).toBe("it has: id, balance, owner, note");
});

test("a field of a number is a mistake", () => {
  const none = { code: "expression.unknown-field", suggestion: "it has no fields" };
  expect(wrong("has(account.balance.amount)")).toEqual({ ...none, at: "amount" });
  expect(wrong("account.balance.text")).toEqual({ ...none, at: "text" });
  expect(wrong("sum([1]).text")).toEqual({ ...none, at: "text" });
  expect(wrong('account.balance["text"]')).toEqual({ ...none, at: '"text"' });
});

test("an unknown name is reported with the nearest one", () => {
  expect(wrong("acount.id")).toEqual({ code: "expression.unknown-name", at: "acount", suggestion: 'did you mean "account"?' });
  expect(wrong("zzzzzzzz").suggestion).toBe("known names: response, account, count, custodian, holder");
});

test("no value is converted to another type", () => {
  for (const text of ['1 == "1"', 'account.balance == "100"', "account.id + 1", '"1" < 2']) {
    expect(wrong(text)).toMatchObject({ code: "expression.ill-typed", suggestion: expect.stringContaining("decimal(…)") });
  }
  expect(wrong('date(account.id) < "2026-01-01"').suggestion).toContain("date(…)");
  expect(wrong("date(account.balance) == date(account.id)").suggestion).toContain("date takes one text");
  expect(wrong("date(account.id)").suggestion).toContain("compare it with another date");
  expect(wrong("count && true").code).toBe("expression.ill-typed");
  expect(wrong("account.balance == custodian").code).toBe("expression.ill-typed");
});

test.for([
  ["response.balance > 1", "take one item, as in list[0].balance, or all: list.map(x, x.balance)"],
  ["response.length > 1", "size(…) gives the length of a text or a list"],
  ['duration("1h") * account.balance == duration("2h")', 'count in seconds, as in duration(string(60 * minutes) + "s")'],
  ["account.id.getMonth() == 1", "write date(…) around the text"],
  ["date(account.id) < now()", "date(run.startedAt) is the time when the run started"],
  ["response.map(a, a.balance).sum() > 1", "write sum(list)"],
  ['account.id.toLowerCase() == "a"', "write text.lowerAscii()"],
  ['response.any(a, a.id == "a")', "write list.exists(x, x > 1)"],
  ["response.sum(a, a.balance) > 1", "write sum(list.map(x, x.amount))"],
  ["(count > 0 ? account.balance : account.id) == 1", "a text is never taken for a number"],
])("what other languages have is refused, with the way to write it: %s", ([text = "", suggestion]) => {
  expect(wrong(text).suggestion).toContain(suggestion);
});

test("a choice or a list with two types is refused", () => {
  expect(wrong("count > 0 ? account.balance : count")).toMatchObject({
    code: "expression.ill-typed",
    suggestion: "write decimal(…) around the whole number",
  });
  expect(wrong("count > 0 ? account.balance : account.id").code).toBe("expression.ill-typed");
  expect(wrong('count > 0 ? account.balance : ["1"]').code).toBe("expression.ill-typed");
  expect(wrong("response.map(a, a.id) + [1]").code).toBe("expression.ill-typed");
});

test("`sum` takes only a list of numbers", () => {
  const illTyped = { code: "expression.ill-typed" };
  expect(wrong("sum(response.map(a, a.id)) > 1")).toEqual({
    ...illTyped,
    at: "response.map(a, a.id)",
    suggestion: "make a number of each item: sum(list.map(x, decimal(x)))",
  });
  expect(wrong("sum(response)")).toMatchObject({ ...illTyped, at: "response" });
  expect(wrong("response.all(a, sum([[a.balance]]) > 0)")).toMatchObject({ ...illTyped, at: "[[a.balance]]" });
  expect(wrong("sum([true])").suggestion).toContain("sum(list.map(x, ");
  for (const text of ["[]", "[1]", "[1, 2.5]", "[account.note]", "account.note", '[1, "2"]', "{}.map(k, k)"]) {
    expect(types.check(`sum(${text})`), text).toBe("decimal");
  }
});

test("an index that is a division is refused, with the way to make it whole", () => {
  expect(wrong("response[size(response) / 2].id")).toMatchObject({
    code: "expression.ill-typed",
    suggestion: expect.stringContaining("write int(…) around it"),
  });
  expect(wrong("count / true")).toMatchObject({ code: "expression.ill-typed", at: "count / true" });
  expect(wrong("count / account.id").suggestion).toContain("decimal(…)");
});

test("a result that JSON cannot express is refused, although an expression can use it inside", () => {
  expect(wrong('duration("1s")').code).toBe("expression.no-json");
  expect(wrong("double(1)").code).toBe("expression.no-json");
  expect(types.check('timestamp("2026-01-02T00:00:00Z") > timestamp("2026-01-01T00:00:00Z")')).toBe("bool");
});

test("a copy with more names does not change the original", () => {
  expect(types.with({ member: "Account" }).check("member.balance")).toBe("decimal");
  expect(wrong("member.balance").code).toBe("expression.unknown-name");
});

test.for([
  ["account.id == null", "has(…)"],
  ["null != account.owner", "has(…)"],
  ["len(account.id) == 3", "size(…)"],
  ["account.id.length() == 3", "size(…)"],
  ["account.id.length == 3", "size(…)"],
  ["response.length == 3", "size(…)"],
])("a function of other languages is refused, with the way to write it: %s", ([text = "", suggestion = ""]) => {
  expect(wrong(text)).toMatchObject({ code: "expression.ill-typed", suggestion: expect.stringContaining(suggestion) });
});

test.each([
  ["account.?balanec.orValue(0)", "balanec", 'did you mean "balance"?'],
  ['account[?"balanec"].orValue(0)', '"balanec"', 'did you mean "balance"?'],
  ["holder.?account.?balanec.orValue(0)", "balanec", 'did you mean "balance"?'],
  ["holder.?account.balanec.orValue(0)", "balanec", 'did you mean "balance"?'],
])("an optional field that the type does not have is refused: %s", (text, at, suggestion) => {
  expect(wrong(text)).toEqual({ code: "expression.unknown-field", at, suggestion });
});

test("a field of the values of a map is not taken for a key of it, as in the results of a foreach", () => {
  const rounds = types.with({ rounds: "map<string, Holder>", nested: "map<string, map<string, Holder>>" });
  const messageOf = (text: string): unknown => {
    const checked = rounds.check(text);
    return isTypeName(checked) ? checked : [checked.message, checked.suggestion];
  };
  const mistaken = [
    'rounds has one value for each key, and "account" is a field of each value',
    'write rounds[KEY].account; if "account" is a key, write rounds["account"]',
  ];
  for (const text of [
    "rounds.account.balance == 1",
    "rounds.account == 1",
    "has(rounds.account)",
    "rounds.?account.orValue(holder)",
  ])
    expect(messageOf(text)).toEqual(mistaken);
  expect(messageOf("has(nested.account)")).toEqual(mistaken.map((words) => words.replaceAll("rounds", "nested")));
  expect(messageOf('rounds["account"].account.balance')).toBe("decimal");
  expect(messageOf("has(rounds.T1) && has(rounds.T1.account)")).toBe("bool");
});
