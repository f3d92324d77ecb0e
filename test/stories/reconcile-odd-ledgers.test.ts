import { expect, test } from "vitest";
import type { Comparison } from "../../src/protocol/comparison.ts";
import { type Came, serve } from "../unit/engine/server.ts";
import { newProject, type Project, stepIn } from "./world.ts";

// The playbooks that come with the tool, on what services answer that the sandbox never does: none of it may pass for "all is well".

/** A project at a service that answers reads of these paths, whatever they ask. */
async function projectAt(answers: Readonly<Record<string, (came: Came) => unknown>>): Promise<Project> {
  const { url } = await serve((came) => {
    const answer = answers[came.path];
    return answer === undefined ? { status: 404, body: "{}" } : { body: JSON.stringify(answer(came)) };
  });
  const project = newProject();
  project.serviceAt(url);
  return project;
}

interface Compared {
  readonly code: number | null;
  readonly told: string;
  readonly drifts: readonly string[];
  readonly found: Comparison;
}

async function reconcile(
  project: Project,
  name: string,
  step: string,
  inputs: Readonly<Record<string, unknown>>,
): Promise<Compared> {
  project.write("inputs.json", JSON.stringify(inputs));
  const { code, told, data } = await project.json("run", `tokenbook/${name}.yaml`, "--inputs", "inputs.json");
  const { comparison } = stepIn(data, `reconcile.${step}`);
  if (comparison === null) throw new Error(`${step} has compared nothing: ${told}`);
  const drifts = comparison.drifts.map(
    ({ kind, key, left, right }) => `${kind} ${Object.values(key).join(" ")} ${left ?? "-"} | ${right ?? "-"}`,
  );
  return { code, told, drifts, found: comparison };
}

test("stale: what is in a queue of pending requests waits, by whatever word", async () => {
  const queue = ({ query }: Came): object => {
    const records =
      query.get("pendingOnly") === "true"
        ? ["PENDING", "OPEN", "awaiting second vote"].map((status, at) => ({
            id: `request${at}`,
            status,
            createdAt: "2020-01-01T00:00:00.000Z",
          }))
        : [];
    return { count: records.length, bookmark: "", records };
  };
  const project = await projectAt({
    "/status": () => ({}),
    "/asset/ownershipTransfer/request/approvals": queue,
    "/approval/queue": queue,
  });
  project.write(
    "tokenbook.yaml",
    `${project.read("tokenbook.yaml")}    profile: { ledger: { requestStatus: { pending: OPEN } } }\n`,
  );
  const inputs = { approvers: [{ userId: "bob" }], approvals: [{ approver: { userId: "bob" }, type: "invoice" }] };
  const waiting = ["request0", "request1", "request2"];
  const stale = await reconcile(project, "reconcile-stale", "transfers", inputs);
  expect(stale.code, stale.told).toBe(3);
  expect(stale.drifts).toEqual(waiting.map((id) => `missing-right ${id} - | -`));
  const known = { ...inputs, knownTransfers: waiting };
  const approvals = await reconcile(project, "reconcile-stale", "approvals", known);
  expect(approvals.code, approvals.told).toBe(3);
  expect(approvals.drifts).toEqual(stale.drifts);
});
