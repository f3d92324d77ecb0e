import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = "docs/internals";
const PAGES = globSync(`${FOLDER}/*.md`).filter((page) => basename(page) !== "README.md");
const DOCUMENTS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", ...globSync("docs/**/*.md")];
const MOST_LINES = 250;

interface Decision {
  readonly number: number;
  readonly title: string;
  readonly page: string;
}

const decisions: readonly Decision[] = PAGES.flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(/^#{3,} (.*)$/gm)].map(([, heading = ""]) => {
    const [, number = "0", title = heading] = /^(\d+)\. (.+)$/.exec(heading) ?? [];
    return { number: Number(number), title, page };
  }),
).toSorted((one, other) => one.number - other.number);

function citedIn(text: string): readonly number[] {
  return [...text.matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(([, list = ""]) =>
    list.split(/, | and /).map(Number),
  );
}

function anchorOf({ number, title }: Decision): string {
  return `${number}. ${title}`
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}

test("each number of a decision appears once, and none is missing", () => {
  expect(decisions.length).toBeGreaterThan(140);
  expect(decisions.map(({ number }) => number)).toEqual(decisions.map((_, at) => at + 1));
});

test("the index names every decision, by its number and its heading", () => {
  const rows = decisions.map((each) => `| ${each.number} | [${each.title}](${basename(each.page)}#${anchorOf(each)}) |`);
  const index = readFileSync(join(FOLDER, "README.md"), "utf8");
  expect(index.split("\n").filter((line) => /^\| \d/.test(line))).toEqual(rows);
  for (const page of PAGES) expect(index).toContain(`| [${basename(page)}](${basename(page)}) |`);
});

test("every cited decision exists, and the code cites at least some", () => {
  const code = globSync("{src,simulation,scripts,bench,test}/**/*.ts").filter((path) => path !== "test/decisions.test.ts");
  const cited = [...code, ...DOCUMENTS].flatMap((path) =>
    citedIn(readFileSync(path, "utf8")).map((number) => ({ path, number })),
  );
  const known = new Set(decisions.map(({ number }) => number));
  expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
  expect(new Set(cited.filter(({ path }) => path.startsWith("src/")).map(({ number }) => number)).size).toBeGreaterThan(14);
});

test("a citation is found alone and in a list", () => {
  expect(citedIn("see decision 7; decisions 1, 12 and 30. A decision of 5 lines, Decision 8")).toEqual([7, 1, 12, 30, 8]);
});

test(`ARCHITECTURE.md has at most ${MOST_LINES} lines`, () => {
  expect(readFileSync("ARCHITECTURE.md", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(MOST_LINES);
});

test("each word of the glossary is listed once, in order, with the file where it lives", () => {
  const [, glossary = ""] = readFileSync("ARCHITECTURE.md", "utf8").split("\n## Glossary\n");
  const rows = [...glossary.matchAll(/^\| (.+?) \| (.+) \| `(.+)` \|$/gm)].map(([, word = "", , file = ""]) => ({ word, file }));
  expect(rows.length).toBeGreaterThan(35);
  expect(rows.length).toBe(glossary.split("\n").filter((line) => line.startsWith("| ")).length - 1);
  expect(rows.map(({ word }) => word)).toEqual([...new Set(rows.map(({ word }) => word))].toSorted());
  expect(rows.filter(({ file }) => globSync(join("src", file)).length !== 1)).toEqual([]);
});

test("every file that ARCHITECTURE.md and the decisions name exists", () => {
  const named = ["ARCHITECTURE.md", ...globSync(`${FOLDER}/*.md`)].flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/`([\w.-]+\/[\w./-]+)`/g)].map(([, path = ""]) => ({ page, path })),
  );
  const files = named.filter(({ path }) => /\.(?:ts|js|md|yaml|json)$/.test(path) && !/[A-Z]{3}\./.test(path));
  expect(files.length).toBeGreaterThan(250);
  expect(files.filter(({ path }) => globSync(`{src/,}${path}`).length !== 1)).toEqual([]);
  const folders = named.filter(({ path }) => path.endsWith("/"));
  expect(folders.filter(({ path }) => globSync(`{src/,}${path}*`).length === 0)).toEqual([]);
});
