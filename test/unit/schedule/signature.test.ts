import { expect, test } from "vitest";
import { signedHeaders } from "../../../src/schedule/notify/signature.ts";

test("the example of the Standard Webhooks specification gets the signature of the specification", () => {
  const letter = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
  expect(signedHeaders(letter, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1_614_265_330_000)).toEqual({
    "webhook-id": letter.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a notification without a secret has no signature", () => {
  expect(Object.keys(signedHeaders({ id: "one", body: "{}" }, undefined, 0))).toEqual(["webhook-id", "webhook-timestamp"]);
});
