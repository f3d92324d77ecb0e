import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isCode } from "../../src/base/catalogue/catalogue.ts";
import { EXIT } from "../../src/base/exit.ts";
import { operationNamed } from "../../src/operations/operation.ts";
import { pageOf } from "../../src/operations/page.ts";
import { pageWithReasons } from "../coverage/page.ts";

const sources = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));
const page = readFileSync("docs/troubleshooting.md", "utf8");
const listed = new Set([...page.matchAll(/`([a-z]+\.[a-z][a-z-]+)`/g)].map(([, code = ""]) => code));

test("the troubleshooting page lists every code that is not a finding of a check", () => {
  const codes = new Set(
    sources.flatMap((text) => [...text.matchAll(/\bcode: "([a-z]+\.[a-z-]+)"/g)].map(([, code = ""]) => code)),
  );
  // docs/errors.md lists the findings of checks. Nobody looks up the codes of what cannot happen.
  const own = [...codes].filter((code) => !isCode(code) && !/^(?:playbook|source|schema\.name|contract)/.test(code));
  expect(own.length).toBeGreaterThan(80);
  expect(own.filter((code) => !listed.has(code))).toEqual([]);
});

test("the troubleshooting page lists only codes that exist", () => {
  const literals = sources.join("\n");
  const known = (code: string): boolean => literals.includes(`"${code}"`) || /^(?:usage|look|exchanges)\./.test(code);
  expect([...listed].filter((code) => !known(code) && !/\.(?:yaml|md|db)$/.test(code))).toEqual([]);
});

test("the troubleshooting page lists each message under the exit code with which it ends, or names another one", () => {
  const ends =
    /\bnew Failure\(\{(?:(?!new Failure)[^])*?\bcode: "(?<code>[a-z]+\.[a-z-]+)"(?:(?!new Failure)[^])*?\bexit: EXIT\.(?<exit>\w+)/g;
  const exits = sources.flatMap((text) =>
    [...text.matchAll(ends)].map(({ groups: { code, exit } = {} }) => [code, exit] as const),
  );
  expect(exits.length).toBeGreaterThan(10);
  const under = page.split(/^## /m).flatMap((section) => {
    const [, heading] = /^Exit (\d+):/.exec(section) ?? [];
    return section.split("\n").map((row) => [row, /^\|[^|]*\|[^|]*\b[Ee]xit (\d+)/.exec(row)?.[1] ?? heading] as const);
  });
  const wrong = exits.filter(([code, exit]) => {
    const [, named] = under.find(([row]) => row.split("|")[1]?.includes(`\`${code}\``) === true) ?? [];
    return named !== undefined && Number(named) !== EXIT[exit as keyof typeof EXIT];
  });
  expect(wrong).toEqual([]);
});

// Returns each refusal that a page or a playbook expects, with the last operation named before it.
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
  // The page of errors shows wrong conditions on purpose.
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

test("docs/coverage.md lists the refusals that no playbook can cover", () => {
  const text = readFileSync("docs/coverage.md", "utf8");
  expect(pageWithReasons(text), "npm run coverage:agrees -- --write").toBe(text);
});

test("the page of exit codes lists each code, and each link of every page leads to a file or a heading", () => {
  const exits = readFileSync("docs/exit-codes.md", "utf8");
  for (const code of Object.values(EXIT)) expect(exits).toMatch(new RegExp(String.raw`^\| ${code} \|`, "m"));
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

test("the README names each promise of the guarantee, and links to it", () => {
  const names = (file: string, promise: RegExp): readonly string[] =>
    [...readFileSync(file, "utf8").matchAll(promise)].map(([, name = ""]) => name);
  const promised = names("docs/guarantee.md", /^\d\. \*\*(.+?)\*\*/gm);
  expect(promised).toHaveLength(4);
  expect(names("README.md", /^- \*\*\[(.+?)\]\(docs\/guarantee\.md#what-is-promised\)\*\*/gm)).toEqual(promised);
});

function anchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(/\s/g, "-"),
  );
}
