import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const document = readFileSync("ARCHITECTURE.md", "utf8");

function rows(heading: string): string[][] {
  const section = document.split(`## ${heading}`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|---"));
  return lines.slice(1).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const floors = new Map(rows("Floors").map(([floor, folder]) => [folder ?? "", Number(floor)]));
const doors = new Map(rows("One door each").map(([name, door]) => [name ?? "", `${door}.ts`]));
const MOST_FILES = 20;
const island = new Set(["base", "schema", "sql", "sqlite", "serving", "contract", "sandbox"]);

interface Import {
  readonly file: string;
  readonly target: string;
  /** Whether it imports only types, which leave no trace in the code that runs. */
  readonly typeOnly: boolean;
  /** Whether it is an `import()`, which loads the file only when the program reaches it. */
  readonly loadedLater: boolean;
}

const imports: readonly Import[] = globSync("src/**/*.ts").flatMap((path) => {
  const file = path.slice("src/".length);
  const text = readFileSync(path, "utf8");
  const written = text.matchAll(/^(?:import|export)(?: (type)\b)? (?:[\w{*][^"';=()]*? from )?"([^"]+)"/gm);
  const loaded = text.matchAll(/\bimport\("([^"]+)"/g);
  return [
    ...[...written].map(([, type, target = ""]) => ({ file, target, typeOnly: type !== undefined, loadedLater: false })),
    ...[...loaded].map(([, target = ""]) => ({ file, target, typeOnly: false, loadedLater: true })),
  ];
});

function folderOf(file: string): string {
  return file === "index.ts" ? "index" : (file.split("/")[0] ?? "");
}

function targetFile({ file, target }: Import): string | undefined {
  return target.startsWith(".") ? normalize(join(dirname(file), target)) : undefined;
}

// Returns one example of each import cycle: the files, in the order in which they import each other.
function cyclesOf(all: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(all, ({ file }) => file);
  const [done, found] = [new Set<string>(), new Set<string>()];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.add([...path.slice(path.indexOf(file)), file].join(" > "));
    if (path.includes(file) || done.has(file)) return;
    for (const each of targets.get(file) ?? []) {
      const target = targetFile(each);
      if (target !== undefined) visit(target, [...path, file]);
    }
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return [...found];
}

test("the floor table names every folder of src", () => {
  const folders = new Set(globSync("src/**/*.ts").map((path) => folderOf(path.slice("src/".length))));
  expect([...folders].toSorted()).toEqual([...floors.keys()].toSorted());
  expect(imports.length).toBeGreaterThan(300);
});

test("a folder imports only from lower floors", () => {
  const wrong = imports.filter((each) => {
    const target = targetFile(each);
    if (target === undefined || target.startsWith("..")) return false;
    const [from, to] = [folderOf(each.file), folderOf(target)];
    return from !== to && (floors.get(to) ?? Infinity) >= (floors.get(from) ?? -1);
  });
  expect(wrong).toEqual([]);
});

test("imports have no cycle, not even of types", () => {
  expect(cyclesOf(imports.filter(({ loadedLater }) => !loadedLater))).toEqual([]);
});

test("a cycle of types is found", () => {
  const types = { typeOnly: true, loadedLater: false };
  const cycle = [
    { file: "engine/a.ts", target: "./b.ts", ...types },
    { file: "engine/b.ts", target: "../base/c.ts", ...types },
    { file: "base/c.ts", target: "../engine/a.ts", ...types },
    { file: "base/c.ts", target: "./d.ts", ...types },
  ];
  expect(cyclesOf(cycle)).toEqual(["engine/a.ts > engine/b.ts > base/c.ts > engine/a.ts"]);
});

test("the sandbox shares no rule with the client", () => {
  const wrong = imports.filter((each) => {
    const target = targetFile(each);
    return folderOf(each.file) === "sandbox" && target !== undefined && !target.startsWith("..") && !island.has(folderOf(target));
  });
  expect(wrong).toEqual([]);
});

test("the explorer uses no rule of the client", () => {
  const allowed = new Set(["base", "contract", "environment", "explore", "operations", "sandbox", "source", "transport"]);
  const targets = imports.filter(({ file }) => folderOf(file) === "explore").map(targetFile);
  expect(targets.length).toBeGreaterThan(30);
  expect(targets.filter((target) => target !== undefined && !allowed.has(folderOf(target)))).toEqual([]);
});

test("no two files have a type with the same name, exported or not", () => {
  const types = globSync("src/**/*.ts", { exclude: ["src/**/generated/**"] }).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => ({
      name,
      path,
    })),
  );
  expect(types.length).toBeGreaterThan(1_500);
  const repeated = [...Map.groupBy(types, ({ name }) => name)].filter(([, of]) => of.length > 1);
  expect(repeated.map(([name, of]) => `${name}: ${of.map(({ path }) => path).join(", ")}`)).toEqual([]);
});

test("only one file imports each package: its door", () => {
  const used = imports.filter(
    ({ target, typeOnly }) => !typeOnly && !target.startsWith(".") && (!target.startsWith("node:") || doors.has(target)),
  );
  const wrong = used.filter(({ file, target }) => {
    const name = target.startsWith("@") ? target.split("/").slice(0, 2).join("/") : (target.split("/")[0] ?? "");
    const door = doors.get(name);
    return door === undefined || door !== file;
  });
  expect(wrong).toEqual([]);
});

test("the retry policy repeats only reads, heartbeats and commits of the journal, never a write to the service", () => {
  const retrying = imports.filter((each) => targetFile(each) === "base/time/retry.ts").map(({ file }) => file);
  expect(retrying.toSorted()).toEqual([
    "engine/read/ask.ts",
    "engine/steps/read-step.ts",
    "journal/commits.ts",
    "rows/http.ts",
    "schedule/notify/heartbeat.ts",
  ]);
});

// The functions of node:fs that neither open, make, change nor remove anything.
const LOOKING = new Set([
  "accessSync",
  "constants",
  "existsSync",
  "lstatSync",
  "readdirSync",
  "realpathSync",
  "statfsSync",
  "statSync",
]);

test("only src/files and the boot file open, create and remove files", () => {
  const files = globSync("src/**/*.ts").filter((path) => !path.startsWith("src/files/") && path !== "src/boot/boot.ts");
  const wrong = files.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const mentions = [...text.matchAll(/["'](?:node:)?fs(?:\/promises)?["']/g)];
    const named = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "node:fs";/gm)];
    const names = named.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
    const effects = names.filter((name) => name !== "" && !name.startsWith("type ") && !LOOKING.has(name));
    return [...effects.map((name) => `${path}: ${name}`), ...(mentions.length === named.length ? [] : [path])];
  });
  expect(files.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

test("only the eight listed files use `process`", () => {
  const allowed = new Set([
    "base/v8-flags.ts",
    "boot/binary.ts",
    "boot/boot.ts",
    "cli/main.ts",
    "files/owner.ts",
    "journal/holder.ts",
    "postgres/thread.ts",
    "sqlite/temporary.ts",
  ]);
  const named = globSync("src/**/*.ts").filter((path) =>
    /\bprocess\.[a-zA-Z]|from "node:process"/.test(readFileSync(path, "utf8")),
  );
  expect(named.filter((path) => !allowed.has(path.slice("src/".length)))).toEqual([]);
});

test("only the listed files read the wall clock of this machine: what is compared with the times of a state uses the clock of the state", () => {
  const allowed = new Set([
    "base/ports.ts",
    "cli/commands/run/explore.ts", // has no state
    "cli/commands/run/run.ts", // the name of a run
    "cli/commands/run/test.ts", // the name of a run
    "cli/commands/serve/schedule.ts", // deliveries
    "cli/commands/start/doctor.ts", // deadlines
    "cli/crash/island.ts", // has a state of its own
    "cli/doctor/service.ts", // the service's clock, and its certificate
    "cli/fleet/carry-out.ts", // the name of a run
    "cli/print/exchanges.ts", // what is shown
    "cli/reporting/reporting.ts", // a trace
    "cli/runs/perform.ts", // what is shown
    "cli/runs/planning.ts", // deadlines
    "cli/schedule/run.ts", // the name of a run
    "postgres/database.ts",
    "sqlite/database.ts",
  ]);
  const reading = globSync("src/**/*.ts", { exclude: ["src/sandbox/**"] }).filter((path) =>
    /^(?!import ).*\bsystemClock\b(?!\.(?:elapsed|sleep)\b)/m.test(readFileSync(path, "utf8")),
  );
  expect(reading.map((path) => path.slice("src/".length)).toSorted()).toEqual([...allowed]);
});

test("the planner loads no code that sends a write, writes a journal or opens a connection", () => {
  const loaded = new Set(globSync("src/planner/*.ts").map((path) => path.slice("src/".length)));
  for (const file of loaded) {
    for (const each of imports) {
      const target = each.file === file && !each.typeOnly ? targetFile(each) : undefined;
      if (target?.endsWith(".ts") === true && !target.startsWith("..")) loaded.add(target);
    }
  }
  expect(loaded.has("engine/read/read.ts")).toBe(true);
  const writing = [
    "engine/write/send.ts",
    "engine/steps/begin-call.ts",
    "engine/run/run-loop.ts",
    "engine/run/run-context.ts",
    "engine/service/service.ts",
    "journal/",
    "transport/",
    "sqlite/",
  ];
  expect([...loaded].filter((file) => writing.some((begin) => file.startsWith(begin)))).toEqual([]);
});

// Code that decides by the name of a service misses the next service. So every difference between services belongs in their folders.
const SERVICES = globSync("src/services/*/service.ts").map((path) => basename(dirname(path)));
const NAME = `(?:${SERVICES.join("|")})`;
const DECISIONS: readonly (readonly [what: string, pattern: RegExp, example: string])[] = [
  ["a comparison", new RegExp(`[!=]==? ?"${NAME}"|"${NAME}" ?[!=]==?`), 'side === "ledger"'],
  ["a case", new RegExp(`case "${NAME}"`), 'case "investor":'],
  ["a part of an operation's name", new RegExp(`"${NAME}\\."`), 'operation.startsWith("investor.")'],
  ["an operation", new RegExp(`"${NAME}(?:\\.\\w+)+"`), 'operationNamed("ledger.status")'],
  ["a list", new RegExp(`\\["${NAME}"[,\\]]`), 'for (const side of ["ledger", "investor"]) {'],
  ["a question", new RegExp(`\\((?:[^"()]*, )?"${NAME}"\\)`), 'child(environment, "ledger")'],
  ["a record", /Record<InterfaceName/, "const HEADERS: Record<InterfaceName, string> = {"],
  ["an access", new RegExp(`\\b(?:target|profile)\\??\\.${NAME}\\b`), "target.ledger?.orgId"],
];

function decisionsIn(text: string): readonly string[] {
  return DECISIONS.flatMap(([what, pattern]) => {
    const found = text.split("\n").find((line) => pattern.test(line));
    return found === undefined ? [] : [`${what}: ${found.trim()}`];
  });
}

test.for(DECISIONS)("the check finds %s by the name of a service", ([what, , example]) => {
  expect(decisionsIn(example)).toContain(`${what}: ${example}`);
});

test("no code decides by the name of a service, except in the folder of that service", () => {
  expect(SERVICES).toContain("ledger");
  // The explorer may name the ledger, because it covers only the ledger and calls each of its operations.
  const own = /^src\/(?:services\/\w+\/|calibrate\/(?:ledger|investor)\/|sandbox\/|explore\/|contract\/)/;
  const outside = globSync("src/**/*.ts").filter((path) => !own.test(path));
  expect(outside.length).toBeGreaterThan(300);
  expect(outside.flatMap((path) => decisionsIn(readFileSync(path, "utf8")).map((found) => `${path}: ${found}`))).toEqual([]);
  // The sandbox may name services elsewhere, but it must not compare with the name of one of its two faces.
  const faces = globSync("src/sandbox/**/*.ts").filter((path) =>
    /[!=]==? ?"(?:ledger|investor)"/.test(readFileSync(path, "utf8")),
  );
  expect(faces).toEqual([]);
});

test("only the listed files write to stdout or stderr without escapes", () => {
  const exact = globSync("src/**/*.ts").filter((path) => /"exact"/.test(readFileSync(path, "utf8")));
  expect(exact.map((path) => path.slice("src/".length)).toSorted()).toEqual([
    "cli/commands/reference/completion.ts", // a script for a shell
    "cli/commands/run/test.ts", // a progress line that is drawn
    "cli/commands/start/check.ts", // annotations, which are commands that tokenbook itself writes
    "cli/commands/start/convert.ts", // a document that writes its texts with escapes
    "cli/commands/start/fmt.ts", // the text that the user piped in
    "cli/reporting/reporting.ts", // annotations
    "cli/shell.ts",
    "cli/view/stream.ts", // a tree that is drawn
  ]);
});

test(`no folder has more than ${MOST_FILES} files`, () => {
  const folders = globSync("src/**/*.ts").map((path) => dirname(path));
  const sizes = Map.groupBy(folders, (folder) => folder);
  expect([...sizes].filter(([, { length }]) => length > MOST_FILES).map(([folder]) => folder)).toEqual([]);
});
