// Checks the words that people read: words to avoid, and the length of sentences. `npm run words` prints both for each page, `npm run words -- 'src/**/*.ts'`
// for other files, and `npm run words -- --at REVISION` for the pages of an earlier commit.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import markdownit from "markdown-it";

/** The files whose words `test/words.test.ts` checks. */
export const PAGES: readonly string[] = [
  "*.md",
  "docs/*.md",
  "docs/internals/*.md",
  "playbooks/**/*.yaml",
  "library/*.yaml",
  "deploy/**/*.*",
  "src/**/*.ts",
  "simulation/**/*.ts",
  "test/**/*.ts",
  "scripts/**/*.ts",
  "bench/**/*.ts",
  "conformance/*.{ts,md}",
  "editor/**/*.{ts,md,json}",
  "action/*.{yml,md}",
];

/** Files that PAGES matches and the check ignores, because they are generated from the source, or list the words themselves. */
export const LEFT_OUT: readonly string[] = [
  "docs/cli.md",
  "docs/environment.md",
  "docs/errors.md",
  "docs/exit-codes.md",
  "docs/limits.md",
  "docs/operations.md",
  "scripts/words.ts",
  "test/words.test.ts",
  "test/unit/words.test.ts",
];

/** The largest average number of words in a sentence of a page. */
export const LONGEST_AVERAGE = 20;

interface Rule {
  readonly avoid: RegExp;
  readonly instead: string;
}

/** The words to avoid, with replacements. */
const WORDS: readonly Rule[] = [
  { avoid: /(?<!\bcannot )\bt(?:ell|ells|elling|old)\b/gi, instead: "report, show, say, list, notify" },
  { avoid: /\bstand(?:s|ing)?\b(?!-)/gi, instead: "is, appears" },
  { avoid: /\bso already\b|\bwhat is so\b/gi, instead: "already done, unchanged" },
  { avoid: /\bmend(?:s|ed|ing)?\b/gi, instead: "fix" },
  { avoid: /\bgo(?:es)? before\b/gi, instead: "wins" },
  { avoid: /\banew\b/gi, instead: "again" },
  { avoid: /\b(?:go|goes|going|went|gone|carry|carries|carried|carrying) on\b(?! sale)/gi, instead: "continue, resume" },
  { avoid: /\bb(?:ear|ears|ore|earing) with\b|\bborne\b/gi, instead: "acknowledge, acknowledged" },
  { avoid: /\bwants? (?:a person|somebody|someone)\b/gi, instead: "needs attention" },
  { avoid: /\bwait(?:s|ed|ing)? for somebody\b/gi, instead: "waiting for approval" },
  {
    avoid: /\bsendings\b|\b(?:a|the|one|each|every|more|first|last|second|superseded) sending\b(?! (?:side|process|end))/gi,
    instead: "attempt, request",
  },
  { avoid: /\bby what it knows\b/gi, instead: "on what evidence" },
  { avoid: /\b(?:is|are|was|were) to be\b|\bas it was to\b/gi, instead: "must be, was expected to be" },
  { avoid: /\bbec(?:ame|ome|omes) of\b/gi, instead: "the outcome of" },
  { avoid: /\bnobody knows\b(?! whether)/gi, instead: "with unknown outcome" },
  { avoid: /\bcarried (?:by|it)\b|\bwho carries\b/gi, instead: "run by" },
  { avoid: /\bin all(?=[.,;:)]|$)/gim, instead: "total" },
  { avoid: /["'`](?:took|began)["'`:]/gi, instead: "duration, started" },
  { avoid: /\bmissing (?:left|right)\b/gi, instead: "missing in NAME OF THE SIDE" },
  { avoid: /\bbeforehand\b|\bby reading alone\b|\bfrom reads alone\b/gi, instead: "preview, without writing" },
  { avoid: /\bof which\b/gi, instead: "two sentences" },
  { avoid: /\bwhose like\b|\b(?:and|or) the like\b/gi, instead: "such as, similar" },
  { avoid: /\blets? go of\b|\b(?:is|are|was|were|be) let go\b/gi, instead: "releases, released" },
  { avoid: /\bhanded\b/gi, instead: "given, passed" },
  { avoid: /\bsays? so\b/gi, instead: "reports this, declares it" },
  { avoid: /\bnobody here\b/gi, instead: "we cannot" },
  { avoid: /\banother's\b/gi, instead: "someone else's" },
];

// A sentence may continue on the next line of a paragraph or a comment.
const GAP = String.raw`(?: |\n *(?:(?://|\*|#) )?)`;

// The words to avoid in names, such as `isTold`, `tellAll` or `TELL_EVERY_MS`. SQL columns keep theirs: `streak_told_at`.
const IN_NAMES = "tell tells telling told mend mends mended anew sending sendings handed beforehand".split(" ");
const CAPITALIZED = IN_NAMES.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("|");
const UPPER = IN_NAMES.join("|").toUpperCase();

const RULES: readonly Rule[] = [
  ...WORDS.map(({ avoid, instead }) => ({ avoid: new RegExp(avoid.source.replaceAll(" ", GAP), avoid.flags), instead })),
  {
    avoid: new RegExp(
      String.raw`\b(?:${IN_NAMES.join("|")})(?=[A-Z])\w*|\b\w*[a-z\d](?:${CAPITALIZED})(?![a-z])\w*|\b(?:[A-Z]+_)*(?:${UPPER})_\w*|\b[A-Z_]+_(?:${UPPER})\b`,
      "g",
    ),
    instead: "another name",
  },
];

/** Returns each word to avoid, as `file:line:column`, with what to write instead. */
export function wordsToAvoid(path: string, text: string): readonly string[] {
  const shown = withoutOutput(text);
  const found = RULES.flatMap(({ avoid, instead }) => [...shown.matchAll(avoid)].map((match) => ({ match, instead })));
  return found
    .toSorted((one, other) => one.match.index - other.match.index)
    .map(({ match, instead }) => {
      const before = shown.slice(0, match.index).split("\n");
      const word = match[0].replaceAll(/\s+(?:(?:\/\/|\*|#) )?/g, " ");
      return `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1} "${word}": write ${instead}`;
    });
}

// Printed and generated text is derived from the source, so it is not checked here.
const OUTPUT = /^( *)```\S+ printed.*\n[\s\S]*?^\1```$|^<!-- .*made by `npm run generate`[\s\S]*?^<!-- End of .*-->$/gm;

function withoutOutput(text: string): string {
  return text.replaceAll(OUTPUT, (block) => "\n".repeat(block.split("\n").length - 1));
}

/** Returns the sentences of a Markdown page, without its headings, tables and code blocks. */
export function sentencesOf(text: string): readonly string[] {
  const tokens = markdownit({ html: true }).parse(text, {});
  const paragraphs = tokens.filter(({ type }, index) => type === "inline" && tokens[index - 1]?.type === "paragraph_open");
  return paragraphs.flatMap(({ children }) => {
    const prose = (children ?? []).map(({ type, content }) =>
      type === "code_inline" ? "CODE" : isText(type) ? content || " " : "",
    );
    // A row of links has no full stop at its end and is not a sentence.
    return prose.join("").match(/[^\s](?:.*?[.!?:]["')\]]*(?=\s+["'(]?[A-Z]|\s*$)|.*:$)/g) ?? [];
  });
}

function isText(type: string): boolean {
  return type === "text" || type === "softbreak";
}

/** Returns the average number of words in a sentence, with inline code as one word. */
export function averageLength(sentences: readonly string[]): number {
  const words = sentences.flatMap((sentence) => sentence.match(/[\p{L}\p{N}][^\s]*/gu) ?? []);
  return sentences.length === 0 ? 0 : words.length / sentences.length;
}

function textOf(path: string, revision: string | undefined): string | undefined {
  if (revision === undefined) return readFileSync(path, "utf8");
  try {
    return execFileSync("git", ["show", `${revision}:${path}`], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 26,
    });
  } catch {
    return undefined;
  }
}

/** Returns the files that match the patterns, without those that the check leaves out. */
export function filesOf(patterns: readonly string[]): readonly string[] {
  return globSync([...patterns])
    .filter((path) => !LEFT_OUT.includes(path))
    .toSorted();
}

function print(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { at: { type: "string" } } });
  let left = 0;
  for (const path of positionals.length === 0 ? filesOf(PAGES) : globSync(positionals).toSorted()) {
    const text = textOf(path, values.at);
    if (text === undefined) continue;
    const found = wordsToAvoid(path, text);
    const sentences = path.endsWith(".md") ? sentencesOf(text) : [];
    left += found.length;
    if (sentences.length > 0)
      console.log(
        `${path}: ${averageLength(sentences).toFixed(1)} words in each of ${sentences.length} sentences, ${found.length} words to avoid`,
      );
    if (values.at === undefined) for (const line of found) console.log(line);
  }
  console.log(`${left} words to avoid`);
}

if (import.meta.main) print();
