import { expect, test } from "vitest";
import { timeOf } from "../../../src/services/probes/recency.ts";

test.for([
  ["2026-11-26T12:39:23.100Z", "2026-11-26T12:39:23.100Z"],
  ["2026-11-26T12:39:23.1", "2026-11-26T12:39:23.100Z"],
  ["2026-11-26T12:39", "2026-11-26T12:39:00.000Z"],
  ["2026-11-26T13:39:23+01:00", "2026-11-26T12:39:23.000Z"],
] as const)("%s is read as %s in every timezone", ([written, time]) => {
  const zone = process.env["TZ"];
  try {
    for (const name of ["UTC", "America/New_York", "Asia/Kolkata"]) {
      process.env["TZ"] = name;
      expect(timeOf(written), name).toBe(Date.parse(time));
    }
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

test.for(["26 November 2026", "2026-11-26", "1764160763", "2026-13-26T12:39:23Z", "", "2026-11-26 12:39:23"])(
  "%j is not a time",
  (written) => {
    expect(timeOf(written)).toBeUndefined();
  },
);
