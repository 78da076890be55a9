import { expect, it } from "vitest";
import { rolloutSettings } from "../../../src/core/rollout/settings.ts";
import { aConfig, anEnvironment } from "../training/builders.ts";

const given = { maxContext: null, secrets: {} };

it("a rollout's settings come from the configuration, with times in milliseconds", () => {
  const config = aConfig({
    rollout_timeout: 90,
    tool_timeout: 2.5,
    sampling_timeout: 60,
    session_timeout: 30,
  });
  const settings = rolloutSettings(config, anEnvironment({ max_turns: 7 }), {
    maxContext: null,
    secrets: { token: "value" },
  });
  expect(settings).toMatchObject({
    rolloutTimeoutMs: 90_000,
    toolTimeoutMs: 2_500,
    samplingTimeoutMs: 60_000,
    sessionTimeoutMs: 30_000,
    maxTurns: 7,
    maxRetries: config.max_rollout_retries,
    secrets: { token: "value" },
  });
});

it("by default sampling is not truncated, and tool calls have no time limit of their own", () => {
  const settings = rolloutSettings(aConfig(), anEnvironment(), given);
  expect(settings).toMatchObject({ topP: 1, topK: -1, toolTimeoutMs: null });
  const truncated = rolloutSettings(aConfig(), anEnvironment({ top_p: 0.9, top_k: 20 }), given);
  expect(truncated).toMatchObject({ topP: 0.9, topK: 20 });
});

it("the model's context length limits the tokens of a rollout", () => {
  const total = (maxContext: number | null) =>
    rolloutSettings(aConfig({ max_total_tokens: 1_000 }), anEnvironment(), {
      ...given,
      maxContext,
    }).maxTotalTokens;
  expect([total(null), total(256), total(4_096)]).toEqual([1_000, 256, 1_000]);
});
