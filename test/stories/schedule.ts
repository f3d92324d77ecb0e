// Shared by the stories of schedules: playbooks that fire each second, their logs, and a web address that receives notifications.
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Notification } from "../../src/schedule/notify/notification.ts";
import { environmentAt, type Project, type Running, type Service } from "./world.ts";
import type { FiringEntry, ScheduleEntry } from "../../src/report/schedule/shape.ts";

/** A playbook that reads the properties of the ledger each second. */
export function reading(schedule = "{ cron: '* * * * * *' }", more = ""): string {
  return `playbook: 1
name: Read the properties
mode: read-only
schedule: ${schedule}
steps:
  - id: all
    uses: ledger.asset.list
    with: { assetType: Property }
    as: { ledger: "userId:alice" }
${more}`;
}

/** Also reads each second, but stays in progress until the ledger has a property. */
export function waiting(schedule?: string): string {
  return reading(schedule, "    until: response.size() > 0\n    timeout: 1h\n    wait: { every: 100ms, max: 100ms }\n");
}

/** Records a property, which ends the runs that wait for it. */
export async function recordProperty(service: Service): Promise<void> {
  await service.call("POST /asset", "userId:alice", { assetType: "Property", data: { id: "Mill3" } });
}

/** A line of the log. */
export interface Line {
  readonly level: string;
  readonly event: string;
  readonly message: string;
  readonly schedule?: string;
  readonly tick?: string;
  readonly outcome?: string;
  readonly run?: string;
  readonly url?: string;
  readonly problem?: { readonly code: string; readonly message: string; readonly why?: string };
}

/** Returns the first lines of a log, up to the given number of lines with this event. Fails if the process ends before. */
export async function logged(running: Running, event: string, count = 1): Promise<readonly Line[]> {
  return loggedLines(running, (line) => line.event === event, count);
}

/** Does the same, and returns the parsed lines. */
export async function loggedLines(running: Running, look: (line: Line) => boolean, count = 1): Promise<readonly Line[]> {
  for (let length = 1; ; length++) {
    const lines = await running.lines(length);
    if (lines.length < length) throw new Error((await running.ended).transcript);
    const found = lines.map((line) => JSON.parse(line) as Line).filter(look);
    if (found.length >= count) return found;
  }
}

/** Returns the values of a page of metrics, by their names with their labels. */
export function parsedMetrics(page: string): Map<string, number> {
  const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}

/** Adds the recipients of notifications to a project's environment. */
export function notifying(project: Project, service: string, notifications: string): void {
  project.write("tokenbook.yaml", `${environmentAt(service)}notifications:\n${notifications}`);
}

/** A notification that was posted to a web address. */
export interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly notification: Notification;
}

/** A web address that receives notifications, and records them. */
export interface Hook {
  readonly url: string;
  readonly posted: readonly Posted[];
}

/** Serves a web address. `answers` are its status codes in order; the last code repeats. */
export async function hook(...answers: readonly number[]): Promise<Hook> {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push({ headers: request.headers, body, notification: JSON.parse(body) as Notification });
      response.writeHead(answers[Math.min(posted.length, answers.length) - 1] ?? 200);
      return response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notified?token=of-the-address`, posted };
}

/** Returns whether a delivery has the signature of a secret, as the Standard Webhooks specification defines it. */
export function isSigned({ headers, body }: Posted, secret: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = headers;
  const expected = createHmac("sha256", secret)
    .update(`${String(id)}.${String(at)}.${body}`)
    .digest("base64");
  return signature === `v1,${expected}`;
}

/** Returns what `schedule history` lists, the earliest first. */
export async function firingsOf(project: Project): Promise<readonly FiringEntry[]> {
  const { stdout } = await project.run("schedule", "history", "--limit", "1000", "--json");
  return (JSON.parse(stdout) as { firings: readonly FiringEntry[] }).firings.toReversed();
}

/** Returns what `schedule list` shows. */
export async function schedulesOf(project: Project, ...args: string[]): Promise<readonly ScheduleEntry[]> {
  const { stdout } = await project.run("schedule", "list", "--json", ...args);
  return (JSON.parse(stdout) as { schedules: readonly ScheduleEntry[] }).schedules;
}
