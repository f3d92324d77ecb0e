import { expect, test } from "vitest";
import { parseJson, writeJson } from "../../../src/base/json/json.ts";
import { readAnswer, refusalText } from "../../../src/operations/answer.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import { isNightly } from "../../sizes.ts";

const tokens = operationNamed("investor.portfolio.tokens");
const assets = operationNamed("ledger.asset.list");

function read(operation: typeof tokens, body: string): string {
  const answer = readAnswer(operation, parseJson(body));
  return answer.kind === "answer" ? writeJson(answer.payload) : answer.why;
}

test("only the statuses `SUCCESS` and 1 are a success", () => {
  expect(read(tokens, '{"status":"SUCCESS","response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  expect(read(tokens, '{"status":1,"response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  expect(read(tokens, '{"status":1.0,"response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  for (const status of ["0", '"ERROR"', '"1"', "null", "true"]) {
    expect(read(tokens, `{"status":${status},"response":{"tokens":[]}}`), status).toMatch(/status/);
  }
  expect(read(tokens, '{"response":{"tokens":[]}}')).toMatch(/status/);
});

test("the payload has no envelope, and the answer keeps the envelope", () => {
  const answer = readAnswer(
    operationNamed("investor.sales.list"),
    parseJson('{"status":"SUCCESS","response":{"sales":[]},"pagination":{"currentPage":1}}'),
  );
  expect(answer).toMatchObject({ kind: "answer", payload: { sales: [] }, envelope: { status: "SUCCESS" } });
});

test("a list can be missing or null", () => {
  expect(read(assets, '{"count":0,"bookmark":"","records":null}')).toBe('{"count":0,"bookmark":"","records":null}');
  expect(read(assets, '{"count":0}')).toBe('{"count":0}');
});

test("a boolean can be a word, and a time can be null", () => {
  const approved = operationNamed("ledger.erc1155.isApprovedForAll");
  expect(read(approved, '{"approved":"true"}')).toBe('{"approved":"true"}');
  expect(read(approved, '{"approved":false}')).toBe('{"approved":false}');
  expect(read(approved, '{"approved":null}')).toContain("none of the fields that it should have: approved");
  for (const word of ["1", '"maybe"', '"TRUE"']) {
    expect(read(approved, `{"approved":${word}}`), word).toBe('answer.approved must be one of true, false, "true", "false"');
  }
});

test("a field is read as absent if it is null and the contract allows no null, in both interfaces", () => {
  const requests =
    '{"count":1,"bookmark":null,"records":[{"id":"R1","createdAt":null,"data":{"own":null},"approvers":[{"userId":"bob","status":null}]}]}';
  expect(read(operationNamed("ledger.approval.mine"), requests)).toBe(
    '{"count":1,"bookmark":null,"records":[{"id":"R1","data":{"own":null},"approvers":[{"userId":"bob"}]}]}',
  );
  const held = '{"status":1,"response":{"tokens":[{"tokenId":"T1","tokenCount":null}],"metaData":null},"pagination":null}';
  expect(read(tokens, held)).toBe('{"tokens":[{"tokenId":"T1"}]}');
  expect(read(operationNamed("ledger.token.mint"), '{"transactionId":"T","receiptId":null}')).toBe('{"transactionId":"T"}');
});

test("a required field or an item of a list cannot be null", () => {
  expect(read(operationNamed("ledger.receipt.get"), '{"transactionId":"T","status":null}')).toBe("answer.status must be text");
  expect(read(tokens, '{"status":1,"response":null}')).toMatch(/^answer\.response must be/);
  expect(read(assets, '{"count":1,"records":[null]}')).toMatch(/^answer\.records\.0 must be/);
});

test("a loose reading leaves out only the invalid fields", () => {
  const mine = operationNamed("ledger.approval.mine");
  const body = '{"count":2,"records":[{"id":"R1","createdAt":5},{"id":"R2","data":{"tokenbook":"m"},"numRequired":"two"}]}';
  expect(readAnswer(mine, parseJson(body)).kind).toBe("unreadable");
  const answer = readAnswer(mine, parseJson(body), { loosely: true });
  expect(answer.kind === "answer" ? writeJson(answer.payload) : answer.why).toBe(
    '{"count":2,"records":[{"id":"R1"},{"id":"R2","data":{"tokenbook":"m"}}]}',
  );
  expect(readAnswer(mine, parseJson('{"count":1,"records":[7]}'), { loosely: true }).kind).toBe("unreadable");
});

test("an answer with a wrong shape is unreadable, and the reason names the place", () => {
  expect(read(assets, "[]")).toBe("answer must be a map of fields");
  expect(read(assets, '{"count":0,"records":[5]}')).toMatch(/^answer\.records\.0 must be/);
  expect(readAnswer(assets, undefined)).toEqual({ kind: "unreadable", why: "the answer has no JSON body" });
  expect(readAnswer(operationNamed("ledger.status"), undefined)).toMatchObject({ kind: "answer", payload: null });
});

test("an error body is not an answer, although a request has a status too", () => {
  const error = '{"status":"Error","message":"request not found","condition":"request not found"}';
  for (const name of ["ledger.transfer.get", "ledger.approval.get"]) {
    expect(read(operationNamed(name), error)).toBe('the answer is an error: its status is "Error"');
    expect(read(operationNamed(name), '{"id":"R1","status":"PENDING"}')).toContain("PENDING");
  }
  expect(read(operationNamed("ledger.receipt.get"), '{"transactionId":"T","status":"Error","message":"no"}')).toContain("Error");
});

test("a body without any expected field is not an answer", () => {
  const token = operationNamed("ledger.token.get");
  for (const body of ["{}", '{"error":"down"}', '{"status":"SUCCESS","response":{"id":"GOLD"}}']) {
    expect(read(token, body), body).toMatch(/^the answer has none of the fields that it should have: docType, id, name,/);
  }
  for (const body of ["{}", '{"error":"down"}'])
    expect(read(tokens, `{"status":1,"response":${body}}`)).toMatch(/none of the fields/);
  expect(read(tokens, '{"status":1}')).toBe('answer must have the field "response"');
  expect(read(tokens, '{"status":1,"response":null}')).toBe("answer.response must be a map of fields");
});

test("a list must have as many items as its count, and a missing list needs the count 0", () => {
  expect(read(assets, '{"count":5}')).toBe("answer.records is missing, and answer.count is not 0 but 5");
  expect(read(assets, '{"count":2,"records":[{"id":"A"}]}')).toBe("answer.count is 2, and answer.records holds 1");
  expect(read(assets, '{"bookmark":"x","records":null}')).toBe("answer.records is missing, and answer.count is not 0 but null");
});

test("the answer of a write must name a transaction or a receipt", () => {
  const [put, mint] = [operationNamed("ledger.asset.put"), operationNamed("ledger.token.mint")];
  for (const body of ["{}", '{"transactionId":"","receiptId":""}', '{"status":"SUCCESS"}']) {
    for (const operation of [put, mint])
      expect(read(operation, body), body).toBe("the answer names neither a transaction nor a receipt");
  }
  expect(read(put, '{"transactionId":"tx1"}')).toBe("the answer names no receipt, although it was asked for with async=true");
  expect(read(put, '{"receiptId":"r1"}')).toBe('{"receiptId":"r1"}');
  expect(read(mint, '{"transactionId":"tx1"}')).toBe('{"transactionId":"tx1"}');
});

test("an answer can have fields that the contract does not know", () => {
  expect(read(assets, '{"count":0,"records":[],"added":"later"}')).toContain("later");
});

test("a refusal has a text, whatever shape its body has", () => {
  const text = (body: string): string => refusalText(parseJson(body), "").message;
  expect(text('{"message":"asset not found"}')).toBe("asset not found");
  expect(text('{"error":{"code":5}}')).toBe('{"code":5}');
  expect(text('{"message":"","condition":"asset not found"}')).toBe('{"message":"","condition":"asset not found"}');
  expect(text('{"errors":["a","b"],"message":null}')).toBe('["a","b"]');
  expect(refusalText(undefined, " <html>\n ").message).toBe("<html>");
  expect(refusalText(undefined, "").message).toBe("no message");
  expect(text(`{"odd":"${"x".repeat(1_000)}"}`)).toHaveLength(1_000);
  expect(text(`{"message":"${"x".repeat(2_000)}"}`)).toHaveLength(1_000);
});

const NULLS = isNightly ? 3_000_000 : 300_000;

// Without the limit, collecting the problems of such a list takes minutes and fills the memory.
test("an answer with millions of problems is unreadable, and the first problem is the reason", () => {
  const nulls = Array.from({ length: NULLS }, () => null);
  const why = "answer.records.0 must be a map of fields";
  expect(readAnswer(operationNamed("ledger.token.list"), { status: "OK", records: nulls })).toEqual({ kind: "unreadable", why });
  const rows = Array.from({ length: 400_000 }, () => ({ createdBy: null }));
  expect(readAnswer(operationNamed("ledger.token.list"), { status: "OK", records: rows })).toMatchObject({ kind: "unreadable" });
});
