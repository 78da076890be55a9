import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/core/errorCodes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { FAULT_RULES, faultReaction, policyOutcome } from "../../../src/core/rollout/faults.ts";
import { STOP_REASONS } from "../../../src/core/runFolder/metrics/stopReasons.ts";

describe("the table of faults", () => {
  it("has each of the policy's stop reasons in one rule, except for the end of a task", () => {
    const stops = new Set(FAULT_RULES.flatMap((rule) => rule.stops ?? []));
    const others = ["reached_terminal_state", "max_retries", "error"];
    expect([...stops].toSorted()).toEqual(
      STOP_REASONS.filter((stop) => !others.includes(stop)).toSorted(),
    );
  });

  it("treats exactly the faults caused by the policy as outcomes", () => {
    for (const { cause, reaction, stops = [] } of FAULT_RULES) {
      expect(reaction === "outcome").toBe(cause === "policy");
      expect(stops.length > 0).toBe(cause === "policy");
    }
  });

  it("has one rule per code and stage", () => {
    const keys = FAULT_RULES.flatMap(({ codes, during = "anywhere" }) =>
      codes.map((code) => `${code} ${during}`),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("a fault", () => {
  const fault = (code: ErrorCode) => new AppError(code, "");

  it("of a template that refuses a conversation fails only its rollout", () => {
    const codes = ["chat-render", "chat-bridge"] as const;
    expect(codes.map((code) => faultReaction(fault(code)))).toEqual(["fail", "fail"]);
  });

  it("belongs to the policy only in its own calls and turns", () => {
    expect(policyOutcome(fault("environment-tool-crashed"), "call")).toBe("tool_crashed");
    expect(policyOutcome(fault("environment-tool-crashed"), "later-turn")).toBeNull();
    expect(policyOutcome(fault("prompt-too-long"), "later-turn")).toBe("max_tokens");
    expect(policyOutcome(fault("environment-session-lost"), "call")).toBeNull();
    expect(policyOutcome(new TypeError("x"), "call")).toBeNull();
  });

  it("elsewhere is retried if that may help, fails the rollout, or ends the run", () => {
    expect(faultReaction(fault("environment-tool-crashed"))).toBe("retry");
    expect(faultReaction(fault("prompt-too-long"))).toBe("fail");
    expect(faultReaction(fault("tinker-auth"))).toBe("end-run");
    expect(faultReaction(new TypeError("x"))).toBe("fail");
  });
});
