import { expect, test } from "vitest";
import { EXIT } from "../../../src/base/exit.ts";
import { Failure } from "../../../src/base/failure.ts";
import { inProjectOf } from "../../../src/cli/project/chosen-project.ts";
import { type Job, performRuns } from "../../../src/cli/runs/perform.ts";
import { NO_SECRETS } from "../../../src/playbook/settings/open-secrets.ts";
import { temporaryFolder } from "../../stories/world.ts";
import { silentShell } from "./shell.ts";

function jobThatThrows(file: string, error: Error): Job {
  return { playbook: { name: file, file }, steps: 1, work: () => Promise.reject(error) };
}

test("a run that ends with a bug of tokenbook leaves the reports of the other runs", async () => {
  let [out, said] = ["", ""];
  const shell = {
    ...silentShell(),
    cwd: temporaryFolder(),
    stdout: { ...silentShell((text) => void (out += text)).stdout },
    stderr: { ...silentShell((text) => void (said += text)).stderr },
  };
  const code = await performRuns(
    shell,
    { json: true, report: [], jobs: 2 },
    {
      playbooks: () => [],
      prepare: () => ({
        shell: inProjectOf(shell, []),
        secrets: NO_SECRETS,
        jobs: [
          jobThatThrows("one.yaml", new TypeError("no such thing")),
          jobThatThrows("other.yaml", new Failure({ code: "other.reason", message: "it cannot begin" })),
        ],
      }),
    },
  );
  expect(code).toBe(EXIT.bug);
  expect(said).toContain(
    "[one.yaml] tokenbook: an unexpected error; this run has sent nothing more\n\nTypeError: no such thing\n    at ",
  );
  expect(JSON.parse(out).notBegun).toMatchObject([
    { playbook: { file: "one.yaml" }, problem: { code: "bug", message: "an unexpected error: no such thing" } },
    { playbook: { file: "other.yaml" }, problem: { code: "other.reason" } },
  ]);
});
