import { expect, test } from "vitest";
import { parseJson, writeJson } from "../../../src/base/json.ts";
import { readAnswer, refusalMeets, refusalText } from "../../../src/operations/answer.ts";
import { operationNamed } from "../../../src/operations/operation.ts";

const tokens = operationNamed("investor.portfolio.tokens");
const assets = operationNamed("ledger.asset.list");

function read(operation: typeof tokens, body: string): string {
  const answer = readAnswer(operation, parseJson(body));
  return answer.kind === "answer" ? writeJson(answer.payload) : answer.why;
}

test("SUCCESS and 1 are success, whatever else is not", () => {
  expect(read(tokens, '{"status":"SUCCESS","response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  expect(read(tokens, '{"status":1,"response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  expect(read(tokens, '{"status":1.0,"response":{"tokens":[]}}')).toBe('{"tokens":[]}');
  for (const status of ["0", '"ERROR"', '"1"', "null", "true"]) {
    expect(read(tokens, `{"status":${status},"response":{"tokens":[]}}`), status).toMatch(/status/);
  }
  expect(read(tokens, '{"response":{"tokens":[]}}')).toMatch(/status/);
});

test("the envelope is taken off, and kept", () => {
  const answer = readAnswer(
    operationNamed("investor.sales.list"),
    parseJson('{"status":"SUCCESS","response":{"sales":[]},"pagination":{"currentPage":1}}'),
  );
  expect(answer).toMatchObject({ kind: "answer", payload: { sales: [] }, envelope: { status: "SUCCESS" } });
});

test("a list that is missing or null is no fault", () => {
  expect(read(assets, '{"count":0,"bookmark":"","records":null}')).toBe('{"count":0,"bookmark":"","records":null}');
  expect(read(assets, '{"count":0}')).toBe('{"count":0}');
});

test("a boolean may come as a word, and a time may be null", () => {
  const approved = operationNamed("ledger.erc1155.isApprovedForAll");
  expect(read(approved, '{"approved":"true"}')).toBe('{"approved":"true"}');
  expect(read(approved, '{"approved":false}')).toBe('{"approved":false}');
  expect(read(approved, '{"approved":1}')).toMatch(/^answer\.approved must be/);
});

test("an answer of another shape is unreadable, with the place", () => {
  expect(read(assets, "[]")).toBe("answer must be object");
  expect(read(assets, '{"count":0,"records":[5]}')).toMatch(/^answer\.records\.0 must be/);
  expect(readAnswer(assets, undefined)).toEqual({ kind: "unreadable", why: "the answer has no JSON body" });
  expect(readAnswer(operationNamed("ledger.status"), undefined)).toMatchObject({ kind: "answer", payload: null });
});

test("fields that the contract does not know are no fault", () => {
  expect(read(assets, '{"count":0,"records":[],"added":"later"}')).toContain("later");
});

test("a refusal has a text, whatever shape its body has", () => {
  const text = (body: string): string => refusalText(parseJson(body), "").message;
  expect(text('{"message":"asset not found"}')).toBe("asset not found");
  expect(text('{"error":{"code":5}}')).toBe('{"code":5}');
  expect(text('{"errors":["a","b"],"message":null}')).toBe('["a","b"]');
  expect(refusalText(undefined, " <html>\n ").message).toBe("<html>");
  expect(refusalText(undefined, "").message).toBe("no message");
  expect(text(`{"odd":"${"x".repeat(1_000)}"}`)).toHaveLength(300);
});

test("the refusal that a playbook expects is known by its condition or its words", () => {
  const refusal = refusalText(parseJson('{"message":"The Asset Not Found in app1","condition":"asset not found"}'), "");
  expect(refusalMeets("Asset not found", refusal)).toBe(true);
  expect(refusalMeets("in app1", refusal)).toBe(true);
  expect(refusalMeets("asset exists", refusal)).toBe(false);
});
