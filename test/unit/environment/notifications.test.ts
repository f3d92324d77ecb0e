import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Channel, loadListeners } from "../../../src/environment/notifications.ts";

function channelWith(secret: string): Channel | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-notifications-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "tokenbook.yaml");
  writeFileSync(
    path,
    "environments: { sandbox: embedded }\nnotifications:\n  desk: { url: https://desk.example, secret: env:DESK_SECRET }\n",
  );
  return loadListeners(path, { cwd: folder, variables: { DESK_SECRET: secret } }).channels[0];
}

test.each(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2VjcmV0cw==", "whsec_c2VjcmV0cw", "a plain secret"])(
  "deliveries are signed with %s",
  (secret) => expect(channelWith(secret)).toMatchObject({ secret: { name: "notifications.desk.secret" } }),
);

test.each(["whsec_not base64!", "whsec_MfKQ9r8G…", "whsec_YOUR-SECRET"])("%s is not base64, and is refused", (secret) => {
  expect(() => channelWith(secret)).toThrow(
    expect.objectContaining({
      code: "notifications.secret",
      message: "tokenbook.yaml:3 (notifications.desk.secret) begins with whsec_, and what follows is not base64",
    }),
  );
});
