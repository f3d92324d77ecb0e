import { expect, test } from "vitest";
import { readSeed } from "../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "./caller.ts";

const seed = readSeed({
  assetTypes: [
    "Person",
    { name: "House", references: { owner: "Person", keepers: "Person" } },
    { name: "Lease", references: { house: "House", renewed: "Lease" } },
  ],
  ledger: {
    assets: [
      { assetType: "Person", data: { id: "ann" } },
      { assetType: "Person", data: { id: "ben" } },
      { assetType: "House", data: { id: "H1", owner: "ann", keepers: ["ben", "nobody"], floors: 2 } },
      { assetType: "Lease", data: { id: "L1", house: "H1", renewed: "L1" } },
    ],
  },
});
const lease = (depth: string) => ({ query: { assetType: "Lease", id: "L1", depth } });

test("`depth` replaces the ids of assets by the assets, level by level", async () => {
  const { ledger } = await sandboxForTest({ seed });
  const data = async (depth: string) => (await ledger("GET /asset", lease(depth))).body.data;
  expect(await data("0")).toEqual({ id: "L1", house: "H1", renewed: "L1" });
  expect(await data("1")).toMatchObject({ house: { id: "H1", assetType: "House", data: { owner: "ann" } } });
  expect(await data("2")).toMatchObject({
    house: { data: { owner: { id: "ann", data: { id: "ann" } }, keepers: [{ id: "ben" }, "nobody"], floors: 2 } },
    renewed: { data: { house: { id: "H1" }, renewed: { id: "L1" } } },
  });
  for (const depth of ["11", "-1", "1.5", "999999999999999"]) {
    expect(await ledger("GET /asset", lease(depth)), depth).toMatchObject({
      status: 400,
      body: { condition: "invalid request parameters" },
    });
  }
});

test("a history shows the assets as they are now, and a deleted one by its id", async () => {
  const { ledger } = await sandboxForTest({ seed });
  await ledger("PATCH /asset", { body: { assetType: "House", data: { id: "H1", floors: 3 } } });
  const house = async () => (await ledger("GET /asset/history", lease("1"))).body.records[0].data.house;
  expect(await house()).toMatchObject({ data: { floors: 3, owner: "ann" } });
  await ledger("DELETE /asset", { body: { assetType: "House", id: "H1" } });
  expect(await house()).toBe("H1");
});

test("references that would fill the memory are refused", async () => {
  const { ledger } = await sandboxForTest({ seed });
  await ledger("POST /asset", { body: { assetType: "House", data: { id: "H2", keepers: Array(1_001).fill("ben") } } });
  expect(await ledger("GET /asset", { query: { assetType: "House", id: "H2", depth: "1" } })).toMatchObject({ status: 400 });
  expect(await ledger("GET /asset", { query: { assetType: "House", id: "H2" } })).toMatchObject({ status: 200 });
});
