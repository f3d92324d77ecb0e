// Compares our coverage with another tool's, item by item, on the four dimensions that both tools measure.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contract } from "../../src/contract/contract.ts";
import type { Coverage } from "../../src/coverage/coverage.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const APP = "app1";

type Item =
  | { readonly kind: "operation" }
  | { readonly kind: "parameter"; readonly in: string; readonly name: string }
  | { readonly kind: "response"; readonly status: string }
  | { readonly kind: "property"; readonly target: string; readonly status?: string; readonly path: string };

interface Theirs {
  readonly operations: readonly {
    readonly operationId: string;
    readonly covered: readonly Item[];
    readonly missing: readonly Item[];
  }[];
}

/** The numbers of both tools for one dimension, and the items that only one tool has covered. */
export interface Agreement {
  readonly dimension: string;
  readonly ours: string;
  readonly theirs: string;
  readonly differences: readonly string[];
}

const SHARED = ["operations", "parameters", "fields", "codes"] as const;

/** Compares our coverage of the exchanges in some HTTP Archives with redocly's. An item is covered if any archive covers it. */
export function agreementOn(hars: readonly string[], { operations }: Pick<Coverage, "operations">): readonly Agreement[] {
  const theirs = new Map<string, boolean>();
  for (const har of hars) {
    const origin = originIn(har);
    for (const { name, root } of Object.values(contract.interfaces))
      for (const [key, covered] of itemsBy(har, name, `${origin}${root}`)) theirs.set(key, covered || theirs.get(key) === true);
  }
  const ours = new Map<string, boolean>(
    operations.flatMap(({ operation, items }) =>
      SHARED.flatMap((dimension) =>
        items[dimension].map(({ name, by }) => [`${dimension} ${operation} ${name}`, by !== null] as const),
      ),
    ),
  );
  return SHARED.map((dimension) => {
    const isOf = ([key]: readonly [string, boolean]): boolean => key.startsWith(`${dimension} `);
    const keys = new Set([...[...ours].filter(isOf), ...[...theirs].filter(isOf)].map(([key]) => key));
    const differences = [...keys].filter((key) => ours.get(key) !== theirs.get(key));
    return { dimension, ours: countOf([...ours].filter(isOf)), theirs: countOf([...theirs].filter(isOf)), differences };
  });
}

function countOf(items: readonly (readonly [string, boolean])[]): string {
  return `${items.filter(([, covered]) => covered).length}/${items.length}`;
}

function originIn(har: string): string {
  const { log } = JSON.parse(readFileSync(har, "utf8")) as { log: { entries: { request: { url: string } }[] } };
  return new URL(log.entries[0]?.request.url ?? "http://none").origin;
}

function itemsBy(har: string, face: string, server: string): ReadonlyMap<string, boolean> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-redocly-"));
  const output = join(folder, "coverage.json");
  const args = ["drift", har, "--api", `schemas/${face}.openapi.yaml`, "--server", server.replace("{appId}", APP)];
  try {
    execFileSync(
      join(ROOT, "node_modules/.bin/redocly"),
      [...args, "--coverage-output", output, "--format", "json", "--output", join(folder, "drift.json")],
      {
        cwd: ROOT,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        stdio: "pipe",
      },
    );
  } catch (error) {
    // Redocly exits with 1 if it finds drift, which does not matter here.
    if ((error as { status?: number }).status !== 1) throw error;
  }
  const { operations } = JSON.parse(readFileSync(output, "utf8")) as Theirs;
  rmSync(folder, { recursive: true });
  return new Map(
    operations.flatMap(({ operationId, covered, missing }) => [
      ...covered.map((item) => [keyOf(operationId, item), true] as const),
      ...missing.map((item) => [keyOf(operationId, item), false] as const),
    ]),
  );
}

function keyOf(operation: string, item: Item): string {
  switch (item.kind) {
    case "operation":
      return `operations ${operation} called`;
    case "parameter":
      return `parameters ${operation} ${item.in} ${item.name}`;
    case "response":
      return `codes ${operation} ${item.status}`;
    case "property":
      return `fields ${operation} ${item.target === "request" ? "request" : item.status} ${item.path}`;
  }
}
