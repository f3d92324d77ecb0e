import { expect, test } from "vitest";
import { desk } from "./desk.ts";
import { newProject } from "./world.ts";

const TOKEN = `playbook: 1
name: A token with a long number
actors: { alice: { ledger: "userId:alice" }, bob: { ledger: "userId:bob" } }
defaults: { as: alice }
steps:
  - { id: token, uses: ledger.token.create, with: { id: GOLD1, name: Gold, symbol: GLD, behaviour: { decimal: 8 } } }
  - { id: mint, uses: ledger.token.mint, with: { id: GOLD1, to: "\${{ actors.bob }}", value: "12345678901234567.00000001" } }
`;

test("call prints the answer of a read as JSON with every digit, and names on stderr who asked where", async () => {
  const { project } = await desk({ "token.yaml": TOKEN });
  expect((await project.run("run", "token.yaml")).code).toBe(0);
  const token = await project.run("call", "ledger.token.get", "id=GOLD1", "--as", "alice");
  expect(token.code, token.transcript).toBe(0);
  expect(token.stdout).toContain('"totalSupply": 12345678901234567.00000001');
  expect(token.stderr).toMatch(/^ledger\.token\.get as alice on here: 1 request, .*ms\n$/);
  const held = await project.run("call", "ledger.erc1155.balanceOf", "id=GOLD1", "owner=userId:bob");
  expect(JSON.parse(held.stdout), held.transcript).toMatchObject({ owner: { orgId: "org1", userId: "bob" } });
  expect(held.stderr).toContain("as the key");
  const sale = await project.run("call", "investor.sales.list", "limit=1", "--as", "BUYER_KEY", "--pages", "2");
  expect((JSON.parse(sale.stdout) as { sales: unknown[] }).sales, sale.transcript).toHaveLength(2);
});

test("call sends no write, and names the command that writes a playbook for it", async () => {
  const { project, service } = await desk({ "token.yaml": TOKEN });
  const refused = await project.run("call", "ledger.token.mint", "id=GOLD1", "value=5", "--as", "alice");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr).toContain("next: tokenbook new playbook mint.yaml --uses ledger.token.mint");
  expect(await service.commits()).toEqual([]);
});

test.for([
  [["ledger.token.gte", "id=GOLD1"], 2, 'there is no operation called "ledger.token.gte"'],
  [["ledger.token.get", "idd=GOLD1"], 2, 'ledger.token.get does not take "idd"; did you mean "id"?'],
  [["ledger.token.get"], 2, 'with must have the field "id"'],
  [["ledger.asset.list", "assetType=Property", "pageSize=many"], 2, "with.pageSize must be a whole number"],
  [["investor.sales.list", "status=9", "--as", "BUYER_KEY"], 2, "with.status must be one of: 0, 1, 2, 3"],
  [["ledger.erc1155.balanceOf", "id=GOLD1", "owner=00123"], 2, "with.owner must be a map of fields"],
  [["investor.sales.list"], 2, "--as NAME, with one of: BUYER_KEY"],
  [["investor.sales.list", "--as", "BUYERKEY"], 2, 'no credential "BUYERKEY"; did you mean "BUYER_KEY"?'],
  [["ledger.token.get", "GOLD1"], 2, "the value 'GOLD1' of the argument 'values' is not valid. Write it as NAME=VALUE"],
  [["ledger.token.get", "id=NONE"], 1, "HTTP 404: there is no token NONE"],
] as const)("%j is refused with one clear message", async ([args, code, message]) => {
  const ended = await newProject().run("call", ...args);
  expect([ended.code, ended.stdout], ended.transcript).toEqual([code, ""]);
  expect(ended.stderr).toContain(message);
});
