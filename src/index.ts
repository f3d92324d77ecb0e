// The library's door: what a program may build on.
export { Decimal } from "./base/numbers/decimal.ts";
export { Failure } from "./base/failure.ts";
export type { Json, JsonObject } from "./base/json/json.ts";
export { parseJson, writeJson } from "./base/json/json.ts";
export type * as Contract from "./contract/generated/types.ts";
export type { CheckResult } from "./playbook/check.ts";
export { checkPlaybook } from "./playbook/check.ts";
export type { FileReader } from "./playbook/playbook-files.ts";
export type { Diagnostic } from "./source/diagnostic.ts";
export { formatDiagnostic } from "./source/diagnostic.ts";
export type { Sandbox, SandboxOptions } from "./sandbox/sandbox.ts";
export { startSandbox } from "./sandbox/sandbox.ts";
