// Serves a sandbox file in its own process: `node serve.ts FILE COMMIT_DELAY_MS`. Prints the address.
import { startSandbox } from "../../src/sandbox/sandbox.ts";

const [path = ":memory:", commitDelayMs = "20"] = process.argv.slice(2);
const sandbox = await startSandbox({ path, commitDelayMs: Number(commitDelayMs) });
console.log(JSON.stringify(sandbox));
