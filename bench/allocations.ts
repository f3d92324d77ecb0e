// Preloaded into a profiled command. When the command ends, it writes how many bytes each function allocated, including memory that was collected.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";

const file = process.env["ALLOCATIONS"];
if (file !== undefined) {
  const session = new Session();
  session.connect();
  session.post("HeapProfiler.startSampling", {
    samplingInterval: 16_384,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  process.once("exit", () =>
    session.post("HeapProfiler.stopSampling", (_, { profile }) => writeFileSync(file, JSON.stringify(profile))),
  );
}
