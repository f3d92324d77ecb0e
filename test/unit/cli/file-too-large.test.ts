import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { readText } from "../../../src/cli/project/read-file.ts";
import { filesOf } from "../../../src/cli/project/project-files.ts";
import { IF_HAR_TOO_LARGE } from "../../../src/exchanges/read-har.ts";

test("the message about a file that is too large fits the purpose of the file", () => {
  const folder = mkdtempSync(join(tmpdir(), "too-large-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  writeFileSync(path, "");
  truncateSync(path, LIMITS.dataBytes + 1);
  const tooLarge = (text: { why: unknown; next: unknown }): unknown =>
    expect.objectContaining({ code: "file.too-large", ...text });
  const playbook = { why: "it is read as a whole", next: "name the right file, or make it smaller" };
  expect(() => readText(path, "a.yaml")).toThrow(tooLarge(playbook));
  expect(() => readText(path, "a.har", IF_HAR_TOO_LARGE)).toThrow(tooLarge(IF_HAR_TOO_LARGE));
  const data = {
    why: expect.stringContaining("the journal keeps the data"),
    next: expect.stringContaining("each part of the data"),
  };
  expect(() => filesOf({ cwd: folder }).read("file")).toThrow(tooLarge(data));
});
