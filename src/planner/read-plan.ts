import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import type { Json } from "../base/json/json.ts";
import type { PlanDocument } from "../report/plan/shape.ts";
import { demandAt } from "../schema/demand.ts";
import { SchemaSet } from "../schema/validator.ts";
import schema from "../../schemas/plan.schema.json" with { type: "json" };

const schemas = new SchemaSet();

/** Reads the content of a plan's file. Throws a Failure if it is not a plan. */
export function readPlan(file: string, content: Json): PlanDocument {
  const [problem] = schemas.validator(schema)(content);
  if (problem === undefined) return content as unknown as PlanDocument;
  throw new Failure({
    code: "plan.unreadable",
    message: `${file} is not a plan: ${demandAt("it", problem)}`,
    next: ["write one:", command`plan PLAYBOOK --out FILE`],
  });
}
