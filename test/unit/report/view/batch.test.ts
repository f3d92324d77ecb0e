import { expect, test, vi } from "vitest";
import { Batch } from "../../../../src/cli/view/batch.ts";

test("lines of one moment go together, by themselves after it", async () => {
  const written: string[] = [];
  const batch = new Batch((text) => written.push(text));
  batch.write("one\n");
  batch.write("two\n");
  expect(written).toEqual([]);
  await vi.waitFor(() => expect(written).toEqual(["one\ntwo\n"]));
});

test("what has not gone yet goes at the end, once", () => {
  const written: string[] = [];
  const batch = new Batch((text) => written.push(text));
  batch.write("one\n");
  batch.flush();
  batch.flush();
  expect(written).toEqual(["one\n"]);
});
