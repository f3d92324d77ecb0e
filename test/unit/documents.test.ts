import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isCode } from "../../src/base/catalogue/catalogue.ts";
import { EXIT } from "../../src/base/exit.ts";
import { operationNamed } from "../../src/operations/operation.ts";
import { pageOf } from "../../src/operations/page.ts";

const sources = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));
const page = readFileSync("docs/troubleshooting.md", "utf8");
const told = new Set([...page.matchAll(/`([a-z]+\.[a-z][a-z-]+)`/g)].map(([, code = ""]) => code));

test("troubleshooting tells of every code that is no finding of a check", () => {
  const codes = new Set(
    sources.flatMap((text) => [...text.matchAll(/\bcode: "([a-z]+\.[a-z-]+)"/g)].map(([, code = ""]) => code)),
  );
  // What a check finds is in errors.md, and what cannot happen is not to be looked up.
  const own = [...codes].filter((code) => !isCode(code) && !/^(?:playbook|source|schema\.name|contract)/.test(code));
  expect(own.length).toBeGreaterThan(80);
  expect(own.filter((code) => !told.has(code))).toEqual([]);
});

test("it tells of no code that there is not", () => {
  const literals = sources.join("\n");
  const known = (code: string): boolean => literals.includes(`"${code}"`) || /^(?:usage|look|exchanges)\./.test(code);
  expect([...told].filter((code) => !known(code) && !/\.(?:yaml|md|db)$/.test(code))).toEqual([]);
});

// What a page or a playbook expects to be refused with, and the operation that stands last before it.
function expectedConditions(text: string): readonly (readonly [operation: string, condition: string])[] {
  let operation = "";
  return [
    ...text.matchAll(/\buses: (?<uses>(?:ledger|investor)\.[\w.]+)|\bfails:\s+\{?\s*condition: (?<condition>[^},\n]+)/g),
  ].flatMap(({ groups: { uses, condition } = {} }) => {
    if (uses !== undefined) operation = uses;
    return condition === undefined || condition.trim() === "…" ? [] : [[operation, condition.trim()] as const];
  });
}

test("every condition that the pages, the playbooks and the library expect is listed by `tokenbook operations NAME`", () => {
  const files = ["README.md", ...globSync("{docs/*.md,playbooks/**/*.yaml,library/*.yaml}")];
  // The pages of errors show wrong ones.
  const expected = files
    .filter((file) => file !== "docs/errors.md")
    .flatMap((file) => expectedConditions(readFileSync(file, "utf8")).map((each) => [file, ...each] as const));
  expect(expected.length).toBeGreaterThan(100);
  const unlisted = expected.filter(([, operation, condition]) => {
    const { conditions, furtherConditions } = pageOf(operationNamed(operation));
    return ![...conditions, ...furtherConditions].includes(condition);
  });
  expect(unlisted).toEqual([]);
});

test("the README's table has each exit code, and the links of all pages lead to something", () => {
  const readme = readFileSync("README.md", "utf8");
  for (const code of Object.values(EXIT)) expect(readme).toMatch(new RegExp(String.raw`^\| (?:\d+, )*${code}(?:, \d+)* \|`, "m"));
  for (const file of ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", ...globSync("docs/**/*.md")]) {
    const text = readFileSync(file, "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    for (const [, target = "", anchor] of links) {
      const path = target === "" ? file : join(dirname(file), target);
      expect(globSync(path.replace(/\/$/, "")), `${file} → ${target}`).toHaveLength(1);
      if (anchor !== undefined) expect(anchors(readFileSync(path, "utf8")), `${file} → ${target}#${anchor}`).toContain(anchor);
    }
  }
});

test("what is promised stands in the README and on its page in the same words", () => {
  const promised = (file: string): string => {
    const [, text = ""] = readFileSync(file, "utf8").split("## What is promised\n");
    return text.slice(0, text.indexOf("acknowledgement alone, and says so.")).replaceAll("../src/", "src/");
  };
  expect(promised("README.md")).toContain("**No double effect.**");
  expect(promised("docs/guarantee.md")).toBe(promised("README.md"));
});

function anchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(/\s/g, "-"),
  );
}
