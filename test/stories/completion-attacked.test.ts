// The TAB key never evaluates what other people have named, or what the user is typing. The shells run on a terminal.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MINT_ONCE } from "./world.ts";
import { isNightly } from "../sizes.ts";
import { isThere, scriptOf, shellProject, typeInto } from "./shells.ts";

// Each name creates a file in the folder if a shell evaluates it.
const EVALUATED = [
  "$(touch pwned)",
  "`touch pwned`",
  "${x:-$(touch pwned)}",
  "$((a[$(touch pwned)]))",
  "a;touch pwned;",
  "a&touch pwned&",
  "a|touch pwned|",
  "<(touch pwned)",
  "(touch pwned)",
  "a'$(touch pwned)'",
  'a"$(touch pwned)"',
  "’;touch pwned;’",
  "a\n touch pwned\n",
];

const PROMPT = "ready> ";

// A shell that asks whether to list very many names takes the next key for the answer. By itself, the TAB of zsh evaluates what is typed, whatever
// completes it.
const TERMINAL: Readonly<Record<string, { readonly argv: string; readonly begin: readonly string[]; readonly ready: string }>> = {
  bash: {
    argv: "bash --norc --noprofile -i",
    begin: ["bind 'set completion-query-items 0'", "bind 'set page-completions off'"],
    ready: "PS1='rea''dy> '",
  },
  zsh: {
    argv: "zsh -f -i",
    begin: ["autoload -Uz compinit && compinit -D -u", "bindkey '^I' complete-word", "LISTMAX=1000000"],
    ready: "PS1='rea''dy> '",
  },
  fish: { argv: "fish --no-config -i", begin: [], ready: "function fish_prompt; echo -n 'rea''dy> '; end" },
};

const BEFORE: readonly ((text: string) => string)[] = [
  (text) => `tokenbook run ${text}`,
  (text) => `tokenbook run "${text}`,
  (text) => `tokenbook run '${text}`,
  (text) => `tokenbook run ${text} --env `,
  (text) => `tokenbook run --env=${text}`,
  (text) => `tokenbook runs show --state "${text}" `,
];

const TAB = "\t";
const CLEAR = "\u0015";

describe.for(Object.entries(TERMINAL))("%s", ([name, { argv, begin, ready }]) => {
  test.runIf(isThere(name))("TAB evaluates nothing that is typed or that is a name in the folder", async () => {
    const project = await shellProject();
    const names = EVALUATED.map((text) => text.replaceAll("/", ""));
    for (const text of names) {
      project.write(`${text}.yaml`, MINT_ONCE);
      project.write(`in/${text}/mint.yaml`, MINT_ONCE);
    }
    project.write("--state=pwned.yaml", MINT_ONCE);
    const environments = names.map((text) => `  ${JSON.stringify(text)}: embedded\n`).join("");
    project.write("tokenbook.yaml", `environments:\n${environments}`);
    const typed = EVALUATED.filter((text) => !text.includes("\n")).flatMap((text, at) =>
      BEFORE.filter((_, place) => isNightly || at % BEFORE.length === place).map((before) => before(text)),
    );
    const planted = [
      "tokenbook run ",
      "tokenbook run $",
      "tokenbook run `",
      "tokenbook run a",
      "tokenbook run in/",
      "tokenbook run --env ",
      "tokenbook run --env=",
      "tokenbook check -",
    ];
    const folder = readdirSync(project.folder).toSorted();
    const shown = await typeInto(project, argv, {
      first: [...begin, `source ${scriptOf(project, name)}`, ready],
      prompt: PROMPT,
      keys: [
        ...typed.map((line) => `${line}${TAB}${CLEAR}`),
        ...planted.map((line) => `${line}${TAB}${TAB}${CLEAR}`),
        `tokenbook completion fis${TAB}> done\n`,
        "exit\n",
      ].join(""),
    });
    expect(project.read("done"), shown).toContain("# fish completion");
    expect(readdirSync(project.folder).toSorted()).toEqual([...folder, "done"].toSorted());
  });
});

test("no completion script calls a shell's own way to evaluate text", async () => {
  const project = await shellProject();
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { stdout } = await project.run("completion", shell);
    expect([shell, /\b(?:eval|compgen|Invoke-Expression|iex|sh -c)\b/i.exec(stdout)?.[0]]).toEqual([shell, undefined]);
  }
});

test("no shell offers a file or an environment whose name begins like an option", async () => {
  const project = await shellProject();
  project.write("--debug=key.yaml", MINT_ONCE);
  project.write("-rf/mint.yaml", MINT_ONCE);
  project.write("mint.yaml", MINT_ONCE);
  project.write("tokenbook.yaml", 'environments:\n  "--state=/tmp": embedded\n  good: embedded\n');
  const offered = async (line: string): Promise<readonly string[]> =>
    (await project.run("complete", "--", line)).lines.map((each) => each.split("\t")[0] ?? "");
  expect(await offered("tokenbook run ")).toEqual(["mint.yaml", "tokenbook.yaml"]);
  expect(await offered("tokenbook run --env ")).toEqual(["good"]);
  expect(await offered("tokenbook run --de")).toEqual(["--debug"]);
});

test.runIf(isThere("pwsh"))("PowerShell runs the completion script without an error", async () => {
  const project = await shellProject();
  project.write("../script.ps1", (await project.run("completion", "powershell")).stdout);
  const { status, stderr } = spawnSync("pwsh", ["-NoProfile", "-File", join(project.folder, "../script.ps1")], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});
