// npm run test:cost [-- FILES]: runs tests and lists the CPU seconds of each file, including the processes that it started. Linux only.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const COLUMN = 8;

const folder = mkdtempSync(join(tmpdir(), "tokenbook-cost-"));
const costs = join(folder, "costs.tsv");
writeFileSync(costs, "");
try {
  const { status } = spawnSync("vitest", ["run", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, TEST_COST: costs },
  });
  process.stdout.write(table(readFileSync(costs, "utf8")));
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}

function table(text: string): string {
  const files = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"))
    .map(([own, started, path = ""]) => ({ own: Number(own), started: Number(started), path: relative(process.cwd(), path) }))
    .toSorted((a, b) => a.own + a.started - (b.own + b.started));
  const sum = (of: "own" | "started"): number => files.reduce((total, file) => total + file[of], 0);
  const rows = [...files, { own: sum("own"), started: sum("started"), path: `total of ${files.length} files` }];
  const cell = (seconds: number): string => seconds.toFixed(1).padStart(COLUMN);
  const lines = rows.map(({ own, started, path }) => `${cell(own)}${cell(started)}  ${path}`);
  return ["CPU seconds", `${"own".padStart(COLUMN)}${"started".padStart(COLUMN)}  file`, ...lines, ""].join("\n");
}
