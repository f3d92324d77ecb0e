import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { DatabaseFailure } from "../../../src/sql/failure.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { temporaryFolder } from "../../stories/world.ts";
import { isNightly } from "../../sizes.ts";
import { NUMBERS, ROWS } from "./numbers.ts";

const LOOKS = isNightly ? 10_000 : 1_000;

test("a reader of a file that another process writes sees one moment of it, and no damage", async () => {
  const folder = temporaryFolder();
  const writer = spawn(process.execPath, [fileURLToPath(new URL("writer.ts", import.meta.url)), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void writer.kill("SIGKILL"));
  await once(writer.stdout, "data");
  let [last, changes] = [0, 0];
  for (let look = 1; look <= LOOKS; look++) {
    const database = Database.look(join(folder, "numbers.db"), NUMBERS);
    const [rows, ...more] = database.all("SELECT round, COUNT(*) AS rows FROM number GROUP BY round");
    const again = Number(database.get("SELECT MAX(round) AS round FROM number")?.["round"]);
    database.close();
    expect([more, rows?.["rows"]], `look ${look}`).toEqual([[], ROWS]);
    const round = Number(rows?.["round"]);
    expect([round >= last, again >= round], `look ${look}: ${last}, ${round}, ${again}`).toEqual([true, true]);
    if (round > last) changes++;
    last = again;
  }
  expect(changes).toBeGreaterThan(10);
  expect(writer.exitCode).toBeNull();
});

test("a reader of a file that is removed gets a failure that names the file", () => {
  const file = join(temporaryFolder(), "numbers.db");
  Database.open(file, NUMBERS).close();
  const look = (): void => {
    using database = Database.look(file, NUMBERS);
    rmSync(file);
    database.get("SELECT MAX(round) AS round FROM number");
  };
  expect(look).toThrow(DatabaseFailure);
  Database.open(file, NUMBERS).close();
  expect(look).toThrow(`${file} cannot be read`);
});
