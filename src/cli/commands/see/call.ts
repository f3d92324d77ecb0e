import { adviceText, command } from "../../../base/command-line.ts";
import { systemClock } from "../../../base/ports.ts";
import { readEntity } from "../../../base/entity.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure, failureFrom } from "../../../base/failure.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { isObject, type Json, type JsonObject, parseJson, writeJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { present } from "../../../base/present.ts";
import { count, didYouMeanOr, quoted } from "../../../base/text/text.ts";
import { resolve, schemaName } from "../../../contract/contract.ts";
import type { JsonSchema } from "../../../contract/schema-types.ts";
import { askingOf } from "../../../engine/read/ask.ts";
import { read, type ListReading } from "../../../engine/read/read.ts";
import { callerProblem, inputProblem } from "../../../engine/service/bind-call.ts";
import { type Caller, NO_CALLER } from "../../../engine/service/caller.ts";
import { credentialsOf, organizationOf, type Target } from "../../../environment/target.ts";
import { inputSchema } from "../../../operations/input.ts";
import { type Operation, operationNamed } from "../../../operations/operation.ts";
import type { PlannerPorts } from "../../../planner/context.ts";
import { NO_SECRETS } from "../../../playbook/settings/open-secrets.ts";
import type { StepProblem } from "../../../protocol/record.ts";
import { hasEntities, type Service } from "../../../services/services.ts";
import type { DebugOption } from "../../print/debug.ts";
import { formatFailure } from "../../print/failure.ts";
import { maskedShell } from "../../print/masked.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import type { Where } from "../../project/state-place.ts";
import { whileReading } from "../../runs/planning.ts";
import type { Command } from "../../shell.ts";
import { hinted } from "../../print/hint.ts";

interface CallOptions extends Where, DebugOption {
  readonly operation: string;
  readonly values: Readonly<Record<string, string>>;
  readonly as?: string;
  readonly pages?: number;
}

/** `tokenbook call`: sends one read to the service and prints its answer as JSON. */
export const call: Command<CallOptions> = async (plainShell, options) => {
  const operation = operationNamed(options.operation);
  if (operation.writes) throw isWrite(operation);
  return whileReading(inProjectHere(plainShell), options, NO_SECRETS, async (target, ports) => {
    const shell = maskedShell(plainShell, ports.secrets.redact);
    const caller = callerNamed(operation.service, options.as, target);
    const input = inputOf(operation, options.values, organizationOf(target));
    const wrong = unknownName(operation, input) ?? callerProblem(operation, caller, target) ?? inputProblem(operation, input);
    if (wrong !== undefined) throw wrongQuestion(operation, wrong);
    const begun = systemClock.elapsed();
    const pages = options.pages ?? LIMITS.pages;
    const result = await read(readingOn(target, ports), { operation, input, caller, pages, step: undefined });
    if (result.kind === "failed") {
      shell.stderr.write(formatFailure(hinted(failureFrom(result.problem), shell.hint)));
      return EXIT.failed;
    }
    const where = target.embedded ? "the embedded sandbox, no real service" : target.environment;
    const spent = `${count(result.requests, "request")}, ${formatDuration(Math.round(systemClock.elapsed() - begun))}`;
    shell.stderr.write(`${operation.name} as ${caller.label ?? "the key"} on ${where}: ${spent}\n`);
    shell.stdout.write(`${writeJson(result.payload, 2)}\n`, "json");
    return EXIT.passed;
  });
};

function readingOn(target: Target, { service, clock, stopping }: PlannerPorts): ListReading {
  return {
    ...askingOf(service, { clock, stopping }),
    target,
    get stopping() {
      return stopping.aborted;
    },
    notify: () => {},
  };
}

function isWrite({ name }: Operation): Failure {
  return new Failure({
    code: "call.writes",
    message: `${name} changes the ledger, and a call only reads`,
    why: "a write belongs in a playbook: its run finds out what happened when an answer is lost, and never sends it twice",
    next: command`new playbook ${`${name.split(".").at(-1)}.yaml`} --uses ${name}`,
  });
}

function wrongQuestion({ name }: Operation, problem: StepProblem): Failure {
  return failureFrom({ next: adviceText(command`operations ${name}`), ...problem, code: "call.invalid" });
}

/** Returns the caller. If an interface identifies callers by their keys and there is only one credential, it need not be named. */
function callerNamed(service: Service, as: string | undefined, target: Target): Caller {
  if (hasEntities(service)) {
    if (as === undefined) return NO_CALLER;
    const entity = readEntity(as) === undefined ? `userId:${as}` : as;
    return { identities: { [service.name]: entity }, label: as };
  }
  const names = [...credentialsOf(target[service.name]).keys()];
  const [only] = names;
  const credential = as ?? (names.length === 1 ? only : undefined);
  if (credential !== undefined) return { identities: { [service.name]: credential }, label: credential };
  throw new Failure({
    code: "call.nobody",
    message: `the ${service.name} interface knows callers by their keys, and no caller is named`,
    next: `add --as NAME, with one of: ${names.map((name) => quoted(name)).join(", ") || "none, because the environment has no credentials"}`,
  });
}

function unknownName(operation: Operation, input: JsonObject): StepProblem | undefined {
  const names = Object.keys(inputSchema(operation).properties ?? {});
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  const hint = didYouMeanOr(unknown, names, `it takes ${names.join(", ") || "nothing"}`);
  return { code: "call.invalid", message: `${operation.name} does not take "${unknown}"; ${hint}` };
}

function inputOf(operation: Operation, values: CallOptions["values"], orgId: string | undefined): JsonObject {
  const { properties = {} } = inputSchema(operation);
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, valueOf(properties[name] ?? {}, text, orgId)]));
}

// A value that cannot be parsed stays text, and the operation's schema then reports what it must be.
function valueOf(schema: JsonSchema, text: string, orgId: string | undefined): Json {
  const isEntity = schemaName(schema) === "Entity";
  const organization = present({ orgId });
  const entity = isEntity ? readEntity(text) : undefined;
  if (entity !== undefined) return { ...organization, [entity.attribute]: entity.value };
  if (resolve(schema).type === "string") return text;
  try {
    const value = parseJson(text);
    return isEntity && isObject(value) && Object.keys(value).length > 0 ? { ...organization, ...value } : value;
  } catch {
    return text;
  }
}
