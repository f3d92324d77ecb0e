import { Failure } from "../../base/failure.ts";
import { didYouMean } from "../../base/text/text.ts";
import type { Fact } from "../../protocol/record.ts";
import type { Shell } from "../shell.ts";
import { Course, type Point, type PointName } from "./course.ts";

/** The variable that makes a process die or stop at a point of its run. */
export const FAILPOINT = "TOKENBOOK_FAILPOINT";

/** Matches every point of a run: `boundary#7` is the seventh point. */
const ANY = "boundary";

/** A chosen point: the nth point of a name. */
interface ChosenPoint {
  readonly signal: "SIGKILL" | "SIGSTOP";
  readonly what: PointName["what"] | typeof ANY;
  readonly step: string | undefined;
  readonly ordinal: number;
}

/**
 * Returns the course of a process that dies at the point that the variable names; nothing if the variable is not set. Throws a Failure if the variable names no
 * point.
 */
export function failpointOf({ variables, signal }: Pick<Shell, "variables" | "signal">): Course | undefined {
  const text = variables[FAILPOINT];
  if (text === undefined || text === "") return undefined;
  const chosen = readFailpoint(text);
  let left = chosen.ordinal;
  return new Course((point) => {
    left -= timesIn(point, chosen);
    if (left > 0) return;
    left = Infinity;
    signal(chosen.signal);
  });
}

function timesIn(point: Point, { what: named, step }: ChosenPoint): number {
  if (named === ANY) return 1;
  return point.filter((name) => name.what === named && (step === undefined || name.step === step)).length;
}

/** Reads `[stop ]POINT[@STEP][#N]`, as {@link failpointText} writes it. */
function readFailpoint(text: string): ChosenPoint {
  const [, stop, what = "", step, ordinal = "1"] = /^(stop )?([\w:.]+)(?:@(.*?))?(?:#(\d{1,9}))?$/s.exec(text) ?? [];
  if (!isPoint(what) || Number(ordinal) < 1) throw noSuchPoint(text, what);
  return { signal: stop === undefined ? "SIGKILL" : "SIGSTOP", what, step, ordinal: Number(ordinal) };
}

/** Returns the value of the variable for the nth point of a name. */
export function failpointText({ what, step }: PointName, ordinal: number): string {
  const name = step === undefined ? what : `${what}@${step}`;
  return ordinal === 1 && !/#\d+$/.test(name) ? name : `${name}#${ordinal}`;
}

// The type requires an entry for every kind of record, so a new kind cannot be forgotten here.
const KINDS: Readonly<Record<Fact["kind"], true>> = {
  "run.opened": true,
  "run.claimed": true,
  "run.released": true,
  "run.edited": true,
  "step.expanded": true,
  "step.begun": true,
  "block.turned": true,
  "attempt.intended": true,
  "attempt.answered": true,
  "receipt.read": true,
  "attempt.settled": true,
  "step.completed": true,
  "step.stopped": true,
  "run.closed": true,
};

const POINTS: readonly string[] = [...Object.keys(KINDS).flatMap((kind) => [`before:${kind}`, `after:${kind}`]), "sent", ANY];

function isPoint(name: string): name is ChosenPoint["what"] {
  return POINTS.includes(name);
}

function noSuchPoint(text: string, what: string): Failure {
  const near = didYouMean(what, POINTS);
  return new Failure({
    code: "failpoint.unknown",
    message: `${FAILPOINT} is "${text}", which names no point of a run`,
    why: `a point is one of ${POINTS.join(", ")}; behind it @STEP and #N, before it "stop "`,
    next: near === undefined ? `unset ${FAILPOINT}` : `${FAILPOINT}='${near}', or unset it`,
  });
}
