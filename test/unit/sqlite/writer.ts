// Opens a file, changes all of its rows in one transaction, and closes it. Repeats this until it is killed.
import { join } from "node:path";
import { Database } from "../../../src/sqlite/database.ts";
import { NUMBERS, ROWS } from "./numbers.ts";

const path = join(process.argv[2] ?? "", "numbers.db");
for (let round = 1; ; round++) {
  const database = Database.open(path, NUMBERS);
  database.transaction(() => {
    NUMBERS.bringUp(database);
    database.exec(`PRAGMA user_version = ${NUMBERS.newest}`);
    database.run("DELETE FROM number");
    for (let row = 0; row < ROWS; row++) database.run("INSERT INTO number VALUES (?, ?)", round, "x".repeat(500));
  });
  database.close();
  if (round === 1) process.stdout.write("written\n");
}
