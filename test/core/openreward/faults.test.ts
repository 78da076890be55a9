import { describe, expect, it } from "vitest";
import { httpFault, splitFault } from "../../../src/core/openreward/faults.ts";
import { harness } from "./harness.ts";
import { json } from "./scriptedServer.ts";

const location = {
  environment: "Owner/Game",
  sid: null,
  action: "POST /create_session",
  isInSession: false,
  isOpenReward: true,
};

describe("an account without credit", () => {
  const unpaid = { status: 402, body: '{"detail":"balance 0"}', retryAfterMs: null };

  it.each([true, false])("is said as such, also in a session: %s", (isInSession) => {
    const fault = httpFault({ ...location, isInSession }, unpaid);
    expect(fault).toMatchObject({ code: "environment-billing", data: { status: 402 } });
    expect(fault.message).toContain(
      "no credit is left (402: balance 0). Add credit to your OpenReward account at https://openreward.ai/settings.",
    );
  });

  it("is not sent to OpenReward by another server", () => {
    const { message } = httpFault({ ...location, isOpenReward: false }, unpaid);
    expect(message).toMatch(/Add credit to the account that its key belongs to\.$/);
  });
});

describe("a key that is refused", () => {
  const refusal = (origin: "store" | "process" | "dotenv" | null) =>
    httpFault(location, {
      status: 401,
      body: "no",
      retryAfterMs: null,
      key: { name: "ORS_API_KEY", origin },
    });

  it.each([
    ["dotenv", "Check ORS_API_KEY (from .env) and that your account may use this environment."],
    ["store", "Check ORS_API_KEY (from the secret store) and that"],
    ["process", "Check ORS_API_KEY (from the process environment) and that"],
    [null, "Set ORS_API_KEY: no key was sent."],
  ] as const)("is named when it came from %s", (origin, step) => {
    expect(refusal(origin)).toMatchObject({ code: "environment-auth" });
    expect(refusal(origin).message).toContain(`access denied (401: no). ${step}`);
  });
});

it.each([
  ["POST /maze/num_tasks", "no-such-split"],
  ["POST /create_session", "environment-protocol"],
])("a 400 to %s, when tasks are counted, is %s", async (line, code) => {
  const { environment } = harness({ [line]: [json(400, { detail: "Bad request" })] });
  const error = await environment.numTasks("train").catch((fault: unknown) => fault);
  expect(splitFault(error, "evaluation.splits")).toMatchObject({ code });
});
