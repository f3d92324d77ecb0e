import { mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openedAt } from "../../../src/cli/crash/island.ts";
import { sessionOn } from "../../../src/cli/runs/session.ts";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import { NO_SECRETS } from "../../../src/playbook/settings/open-secrets.ts";
import { temporaryFolder } from "../../stories/world.ts";
import { silentShell } from "./shell.ts";

const SERVED = {
  appId: "app",
  orgId: "org",
  ledgerApiKey: "a-key-that-nobody-serves",
  credentials: {},
  ledgerBaseUrl: "http://127.0.0.1:9",
  investorBaseUrl: "http://127.0.0.1:9",
  keyEntity: null,
};

function openBelow(folder: string): readonly string[] {
  const descriptors = readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return []; // the descriptor with which readdirSync listed the folder
    }
  });
  return descriptors.filter((path) => path.startsWith(folder));
}

test.runIf(process.platform === "linux")("a session that cannot be opened closes everything that it opened", () => {
  const state = temporaryFolder();
  mkdirSync(join(state, "exchanges.db"));
  const open = (): unknown =>
    sessionOn(silentShell(), openedAt(SERVED, DEFAULT_PROFILE), { state, playbookSecrets: NO_SECRETS, onKept: () => undefined });
  expect(open).toThrow("exchanges.db is a folder");
  expect(openBelow(state)).toEqual([]);
});
