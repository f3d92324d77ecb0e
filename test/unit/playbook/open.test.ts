import { expect, test } from "vitest";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import type { FileReader } from "../../../src/playbook/playbook-files.ts";
import type { Playbook } from "../../../src/playbook/model.ts";
import { NO_SECRETS, openEnv, openSecrets } from "../../../src/playbook/settings/open-secrets.ts";
import { Secret } from "../../../src/base/secret.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";

const INNER = `playbook: 1
env: { REGION: of the inner, ONLY: inner }
secrets: { KEY: env:INNER_KEY }
steps:
  - uses: ledger.status
`;
const OUTER = `playbook: 1
env: { REGION: eu, TEAM: ~ }
secrets: { KEY: env:OUTER_KEY, PEM: file:keys/a.pem }
steps:
  - uses: ./inner.yaml
  - id: again
    uses: ./inner.yaml
`;
const TEXTS: Readonly<Record<string, string>> = { "in/inner.yaml": INNER, "in/keys/a.pem": "\n  first line\nsecond line\n" };
const files: FileReader = { read: (path) => TEXTS[path] };

function checked(path: string, text: string): Playbook {
  const { playbook, diagnostics } = checkPlaybook(path, text, files);
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return playbook ?? expect.fail();
}

const outer = checked("in/outer.yaml", OUTER);

test("each playbook gets the variables that it declares, and those of the process win over defaults", () => {
  expect(openEnv(outer, { TEAM: "blue" })).toEqual({
    "in/outer.yaml": { REGION: "eu", TEAM: "blue" },
    "in/inner.yaml": { REGION: "of the inner", ONLY: "inner" },
  });
  expect(openEnv(outer, { TEAM: "", REGION: "us", OTHER: "x" })).toEqual({
    "in/outer.yaml": { REGION: "us", TEAM: "" },
    "in/inner.yaml": { REGION: "us", ONLY: "inner" },
  });
  expect(() => openEnv(outer, {})).toThrow("a variable without a default is not set: in/outer.yaml:2 (env.TEAM)");
  const two = checked("two.yaml", "playbook: 1\nenv: { A: ~, B: ~ }\nsteps: [{ uses: ledger.status }]\n");
  expect(() => openEnv(two, {})).toThrow(
    expect.objectContaining({
      message: "variables without a default are not set: two.yaml:2 (env.A), two.yaml:2 (env.B)",
      next: "export A=… B=…, or give them a default",
    }),
  );
  expect(openEnv(checked("a.yaml", "playbook: 1\nsteps: [{ uses: ledger.status }]\n"), {})).toEqual({});
});

test("each playbook gets the secrets that it declares; a file path is relative to the playbook, and blanks at the ends are removed", () => {
  const secrets = openSecrets([outer, outer], { variables: { OUTER_KEY: "outer-key", INNER_KEY: " inner-key\n" }, files });
  expect(secrets.in("in/outer.yaml")).toEqual({ KEY: "outer-key", PEM: "first line\nsecond line" });
  expect(secrets.in("in/inner.yaml")).toEqual({ KEY: "inner-key" });
  expect(secrets.in("elsewhere.yaml")).toEqual({});
  expect(secrets.redact('{"a":"outer-key","b":"first line\\nsecond line"}')).toBe(
    '{"a":"${{ secrets.KEY }}","b":"${{ secrets.PEM }}"}',
  );
  expect(JSON.stringify(secrets)).not.toMatch(/-key|line/);
});

test("all unusable secrets are reported together, with line and place", () => {
  const broken: FileReader = { read: () => "  \n" };
  expect(() => openSecrets([outer], { variables: { OUTER_KEY: "seven77", INNER_KEY: "" }, files: broken })).toThrow(
    [
      "secrets cannot be used:",
      "in/outer.yaml:3 (secrets.KEY): the secret in OUTER_KEY has fewer than 8 characters, too few to be masked",
      "in/outer.yaml:3 (secrets.PEM): in/keys/a.pem is empty",
      "in/inner.yaml:3 (secrets.KEY): INNER_KEY is empty",
    ].join("\n"),
  );
});

test("a mask is recognized by its name, also that of an environment's key", () => {
  const secrets = openSecrets([checked("in/inner.yaml", INNER)], { variables: { INNER_KEY: "inner-key" }, files });
  expect(secrets.maskIn("pin=${{ secrets.KEY }}")).toBe("${{ secrets.KEY }}");
  expect(secrets.maskIn("${{ secrets.OTHER }}")).toBeUndefined();
  expect(secrets.with([new Secret("OTHER", "the-other-one")]).maskIn("${{ secrets.OTHER }}")).toBe("${{ secrets.OTHER }}");
  expect(NO_SECRETS.maskIn("${{ secrets.KEY }}")).toBeUndefined();
});
