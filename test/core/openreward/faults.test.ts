import { describe, expect, it } from "vitest";
import { httpFault } from "../../../src/core/openreward/faults.ts";

describe("a key that is refused", () => {
  const location = { environment: "Owner/Game", sid: null, action: "POST /create_session" };
  const refusal = (origin: "store" | "process" | "dotenv" | null) =>
    httpFault(
      { ...location, isInSession: false },
      { status: 401, body: "no", retryAfterMs: null, key: { name: "ORS_API_KEY", origin } },
    );

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
