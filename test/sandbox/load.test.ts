import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { LOAD_SEED, runLoad } from "../../bench/sandbox-load.ts";
import { fileForTest } from "./caller.ts";

test("with 30 parallel clients, no token is lost or invented", async () => {
  const seed = 7;
  const sandbox = await startSandbox({ path: fileForTest(), seed: LOAD_SEED, commitDelayMs: 5 });
  const result = await runLoad(sandbox, { clients: 30, requests: 40, seed });
  await sandbox.close();
  console.log(`load with the seed ${seed}: ${result.perSecond} requests/s, ${JSON.stringify(result.answers)}`);
  expect(result.problems).toEqual([]);
  expect(result.writes).toBeGreaterThan(100);
  expect(Object.keys(result.answers)).toEqual(expect.arrayContaining(["mint 200", "transfer 200", "burn 200", "read 200"]));
});
