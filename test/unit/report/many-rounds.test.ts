import { expect, test } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import { reportOf } from "../../../src/report/model.ts";
import { WRITERS } from "../../../src/report/formats/writers.ts";
import { Records, STEPS } from "./records.ts";

const ROUNDS = 130_000;

test("the trace of a run with very many rounds is written, even if its process died", async () => {
  const records = new Records().opened({ steps: STEPS.slice(3) });
  for (let round = 0; round < ROUNDS; round++) records.read(`owned[${round}]`);
  const write = await WRITERS.otlp();
  const [text = ""] = write(
    [{ report: reportOf(records.all), records: () => records.all }],
    { cwd: "/", root: "/", hint: PLAIN_HINT },
    [],
  );
  expect(text.match(/"tokenbook\.step"/g)).toHaveLength(ROUNDS);
});
