import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { applySettings, tunableChanges } from "../../../../src/core/training/run/applySettings.ts";
import { aConfig, anEnvironment, anEvaluation, ENVIRONMENT } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

const evaluation = anEvaluation({
  at_start: true,
  at_end: true,
  every: null,
  num_samples: 1,
  temperatures: [0],
});

function withEnvironment(changes: Parameters<typeof anEnvironment>[0]): Config {
  return aConfig({ environments: { [ENVIRONMENT]: anEnvironment(changes) } });
}

describe("the keys of changed settings", () => {
  it.each<[string, Partial<Config>, RegExp]>([
    ["seed", { seed: 7 }, /^seed cannot .*defines the run; start a new run/],
    ["batch_size", { batch_size: 2, learning_rate: 1 }, /^batch_size cannot/],
    [
      "loss_fn",
      { loss_fn: "cispo" },
      /^loss_fn cannot .*stop the run and resume it to change this/,
    ],
    ["secrets", { secrets: { SEARCH_KEY: "s-secret" } }, /^secrets cannot/],
  ])("%s cannot change, and the refusal says what to do", (configPath, changes, message) => {
    expect(() => tunableChanges(aConfig(), aConfig(changes))).toThrow(
      expect.objectContaining({ code: "config-not-tunable", configPath }),
    );
    expect(() => tunableChanges(aConfig(), aConfig(changes))).toThrow(message);
  });

  it("a changed secret is refused without showing it", () => {
    const secret = (value: string) => withEnvironment({ secrets: { search_key: value } });
    const refusal = refusalOf(() => tunableChanges(secret("one-1111"), secret("two-2222")));
    expect(refusal).toMatch(/secrets cannot change/);
    expect(refusal).not.toMatch(/1111|2222/);
  });

  it("an evaluation of an environment that is not connected is refused", () => {
    const splits = { "Owner/Other": ["test"] };
    const after = aConfig({ evaluation: { ...evaluation, splits } });
    expect(() => tunableChanges(aConfig(), after)).toThrow(/evaluation\.splits names Owner\/Other/);
    expect(tunableChanges(aConfig(), aConfig({ evaluation }))).toEqual(["evaluation"]);
  });

  it("must not be empty", () => {
    expect(() => tunableChanges(aConfig(), aConfig())).toThrow(
      expect.objectContaining({ code: "config-unchanged" }),
    );
  });
});

function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return String(error);
  }
  throw new Error("nothing was refused");
}

describe("new settings in force", () => {
  it("move the end of the plan", () => {
    const context = aContext({ totalSteps: 4 });
    expect(applySettings(context, aConfig({ max_steps: 9, num_epochs: null })).totalSteps).toBe(9);
    // An epoch has 8 tasks, a step 4.
    expect(applySettings(context, aConfig({ num_epochs: 3, max_steps: null })).totalSteps).toBe(6);
  });

  it("apply to future rollouts, and keep what the run learned about its environments", () => {
    const context = aContext();
    const before = context.services.environments.get(ENVIRONMENT);
    const config = withEnvironment({ temperature: 0.25, max_turns: 3 });
    const after = applySettings(context, config).services.environments.get(ENVIRONMENT);
    expect(after?.settings).toMatchObject({ temperature: 0.25, maxTurns: 3 });
    expect(before?.settings).toMatchObject({ temperature: 1, maxTurns: 50 });
    expect(after?.remote).toBe(before?.remote);
    expect(after?.gate).toBe(before?.gate);
  });

  it("change the concurrency limits", () => {
    const context = aContext();
    const config = withEnvironment({ max_concurrency: 3 });
    applySettings(context, { ...config, max_active_tasks: 5, max_samples_in_flight: 6 });
    expect([context.limits.rollouts.limit, context.limits.samples.limit]).toEqual([5, 6]);
    expect(context.services.environments.get(ENVIRONMENT)?.gate.stats.limit).toBe(3);
  });

  it("cannot limit a cost that cannot be measured", () => {
    const context = { ...aContext(), listPrices: null };
    const limited = aConfig({ max_cost_usd: 1 });
    expect(() => applySettings(context, limited)).toThrow(
      expect.objectContaining({ code: "prices-unknown", configPath: "max_cost_usd" }),
    );
    const prices = { sampled: 1, prefill_cached: 1, prefill_uncached: 1, trained: 1 };
    expect(applySettings(context, { ...limited, prices }).config.max_cost_usd).toBe(1);
  });

  it("change nothing when their schedule has no end", () => {
    const context = aContext();
    const { limit } = context.limits.rollouts;
    const endless = {
      learning_rate_schedule: "cosine",
      num_epochs: null,
      max_steps: null,
    } as const;
    expect(() => applySettings(context, aConfig({ ...endless, max_active_tasks: 5 }))).toThrow(
      expect.objectContaining({ code: "config-conflict" }),
    );
    expect(context.limits.rollouts.limit).toBe(limit);
  });
});
