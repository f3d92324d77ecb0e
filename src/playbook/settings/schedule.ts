import { Cron, isTimezone, timezones } from "../../base/time/cron.ts";
import { messageOf } from "../../base/failure.ts";
import { Recent } from "../../base/recent.ts";
import { didYouMean } from "../../base/text/text.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import { retryOf } from "../steps/side-reads.ts";
import type { CheckContext } from "../check-context.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { DEFAULT_ZONE, SCHEDULE } from "../keywords/playbook.ts";
import type { Schedule } from "../model.ts";

// Patterns have no year, so any moment will do to find out whether there is a next firing.
const SOME_MOMENT = Date.UTC(2024, 0, 1);
const SAMPLED_TICKS = 50;

/** Checks `schedule`: its cron pattern must be valid and fire at some time, its zone must exist, and its times must fit together. */
export function readSchedule(node: SourceNode | undefined, context: CheckContext, readOnly: boolean): Schedule | undefined {
  if (node?.kind !== "map") return undefined;
  const {
    cron: pattern,
    timezone: zone,
    overlap,
    catchup,
    jitter: jitterMs,
    timeLimit: timeLimitMs,
    retry,
    ...rest
  } = fieldsOf(node, SCHEDULE);
  allRead(rest);
  const timezone = zoneOf(zone, context);
  const cron = cronOf(pattern, timezone ?? DEFAULT_ZONE, context);
  if (timezone === undefined || cron === undefined) return undefined;
  if (timeLimitMs === 0) tooShort(node, context);
  checkJitter(node, { cron, jitterMs }, context);
  if (!readOnly) refuseRetry(node, context);
  return {
    cron,
    overlap,
    catchupMs: catchup,
    jitterMs,
    timeLimitMs,
    retry: retryOf(retry),
  };
}

function zoneOf(node: SourceNode | undefined, context: CheckContext): string | undefined {
  const name = textOf(node) ?? DEFAULT_ZONE;
  if (node === undefined || isTimezone(name)) return name;
  const near = didYouMean(name, timezones());
  return context.report(
    {
      code: "playbook.schedule-zone",
      message: `there is no time zone "${name}"`,
      suggestion: near === undefined ? "a name such as Europe/Paris, or UTC" : `did you mean ${near}?`,
    },
    node.range,
  );
}

function cronOf(node: SourceNode | undefined, timezone: string, context: CheckContext): Cron | undefined {
  if (node === undefined) return undefined;
  const code = "playbook.schedule-cron";
  try {
    const cron = new Cron(textOf(node) ?? "", timezone);
    if (cron.next(SOME_MOMENT) !== undefined) return cron;
    const never = { code, message: "this never fires: no day fits the whole pattern", suggestion: FIELDS } as const;
    return context.report(never, node.range);
  } catch (error) {
    const why = messageOf(error);
    return context.report({ code, message: "this is not a cron pattern", why, suggestion: FIELDS }, node.range);
  }
}

const FIELDS = 'minute hour day month weekday, as in "15 2 * * *" for every day at 02:15';

function tooShort(node: MapNode, context: CheckContext): void {
  const message = "a run needs more time than 0s";
  context.report(
    { code: "playbook.schedule-time", message, suggestion: "leave timeLimit out for no limit" },
    (child(node, "timeLimit") ?? node).range,
  );
}

// If the jitter were as long as the time between two firings, one firing could overtake the other.
function checkJitter(node: MapNode, { cron, jitterMs }: { cron: Cron; jitterMs: number }, context: CheckContext): void {
  if (jitterMs === 0 || jitterMs < leastIntervals.of(`${cron.timezone} ${cron.pattern}`)) return;
  context.report(
    {
      code: "playbook.schedule-time",
      message: "the jitter is as long as the time between two firings, or longer",
      why: "a firing could come after the one that follows it",
      suggestion: "take a shorter one",
    },
    (child(node, "jitter") ?? node).range,
  );
}

// Remembered by zone and pattern: computing it takes longer than the rest of a check, and thousands of playbooks may have the same pattern.
const leastIntervals = new Recent((zoned) => {
  const [timezone = "", ...pattern] = zoned.split(" ");
  return leastInterval(new Cron(pattern.join(" "), timezone));
});

function leastInterval(cron: Cron): number {
  let least = Number.POSITIVE_INFINITY;
  let last = cron.next(SOME_MOMENT);
  for (let count = 0; last !== undefined && count < SAMPLED_TICKS; count++) {
    const next = cron.next(last);
    if (next !== undefined) least = Math.min(least, next - last);
    last = next;
  }
  return least;
}

function refuseRetry(node: MapNode, context: CheckContext): void {
  const retry = node.entries.get("retry");
  if (retry === undefined) return;
  context.report(
    {
      code: "playbook.write-repeated",
      message: "only a playbook of mode: read-only can repeat a failed run",
      why: "another run would repeat the writes of this one",
      suggestion: "delete it, or write mode: read-only",
    },
    retry.key,
  );
}
