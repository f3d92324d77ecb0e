import { describe, expect, test } from "vitest";
import { columnsIn, fitted, widthOn } from "../../../src/cli/print/columns.ts";
import { library } from "../../../src/cli/commands/reference/library.ts";
import { operations } from "../../../src/cli/commands/reference/operations.ts";
import { explain } from "../../../src/cli/print/explain-code.ts";
import { shipped } from "../../../src/cli/project/shipped.ts";
import { COMMANDS } from "../../../src/cli/program/command-words.ts";
import { WORDS } from "../../../src/cli/program/words.ts";
import { CATALOGUE } from "../../../src/base/catalogue/catalogue.ts";
import { operations as all } from "../../../src/operations/operation.ts";
import { shownBy, silentShell } from "./shell.ts";

const COLUMNS = 80;

/** Returns the lines that are wider than the terminal. Lines that may be wider are left out: names, addresses and commands are never broken. */
function tooLong(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.length > COLUMNS && !/^\s*(?:\$|`[A-Z]+ |then begin|\S+: )|\/library\//.test(line));
}

describe("on a terminal of 80 columns", () => {
  test.for([WORDS.root, ...Object.values(COMMANDS)].map(({ examples }) => examples))("the help fits: %s", (examples) => {
    expect(tooLong(fitted(examples, COLUMNS))).toEqual([]);
  });

  test("the fitted help has all its words, and keeps each command on one line", () => {
    for (const { examples } of [WORDS.root, ...Object.values(COMMANDS)]) {
      const narrow = fitted(examples, COLUMNS);
      expect(narrow.split(/\s+/)).toEqual(examples.split(/\s+/));
      for (const [command] of examples.matchAll(/\$ (?:\S+ )*\S+/g)) expect(narrow).toContain(command);
    }
  });

  test.for([...all.keys()])("the page of an operation fits: %s", async (name) => {
    expect(tooLong(await shownBy(operations, { name: [name] }))).toEqual([]);
  });

  test.for(["", ...shipped.names])("the page of a shipped playbook fits: %s", async (name) => {
    expect(tooLong(await shownBy(library, name === "" ? {} : { name }))).toEqual([]);
  });

  test("the explanation of a code fits", () => {
    let text = "";
    explain(
      silentShell((more) => void (text += more)),
      "schema.type",
      false,
    );
    expect(text).toContain(CATALOGUE["schema.type"].title);
    expect(tooLong(text)).toEqual([]);
  });
});

test("the last column is below the others if there is no space beside them", () => {
  const rows = [
    ["holders", "list of {holder: text, credential: text}", "The investors, by their id."],
    ["reader", "entity", "Who reads."],
  ];
  expect(columnsIn(60)(rows)).toEqual([
    "holders  list of {holder: text, credential: text}",
    "    The investors, by their id.",
    "reader   entity",
    "    Who reads.",
  ]);
  expect([20, 80, 300].map((columns) => widthOn({ columns }))).toEqual([40, 80, 110]);
});
