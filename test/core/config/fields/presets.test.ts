import { describe, expect, it } from "vitest";
import {
  isLocalModel,
  maxConcurrentRollouts,
  rollingSaveEvery,
  zeroVariancePolicy,
} from "../../../../src/core/config/fields/presets.ts";
import { configIn, textWith } from "../configText.ts";

const local = (...lines: readonly string[]) =>
  configIn(textWith(...lines).replace("Qwen/Qwen3-8B", "local/tiny-tool"));
const hosted = (...lines: readonly string[]) => configIn(textWith(...lines));

describe("the defaults of local models", () => {
  const preset = {
    lora_rank: 8,
    max_active_tasks: 32,
    learning_rate: 1e-3,
    adam_eps: 1e-8,
    warmup_steps: 3,
    max_response_tokens: 48,
    max_total_tokens: 256,
  };

  it("suit training a small model, and the file overrides them", () => {
    expect(local()).toMatchObject(preset);
    expect(local("adam_eps: 1e-6")).toMatchObject({ ...preset, adam_eps: 1e-6 });
  });

  it("do not apply to hosted models", () => {
    const same = Object.entries(preset).filter(([key, value]) => {
      return hosted()[key as keyof typeof preset] === value;
    });
    expect(same).toEqual([]);
    expect(isLocalModel("someone/local")).toBe(false);
  });
});

describe("values that depend on others", () => {
  it("include a rolling save after every step locally, and after every fifth on a service", () => {
    expect(rollingSaveEvery(local())).toBe(1);
    expect(rollingSaveEvery(hosted())).toBe(5);
    expect(rollingSaveEvery(local("rolling_save_every: 0"))).toBe(0);
  });

  it("let all issued rollouts play at once, unless a limit is set or there are very many", () => {
    const groups = Math.max(
      ...Object.values(hosted().environments).map(({ num_rollouts }) => num_rollouts),
    );
    expect(maxConcurrentRollouts({ ...hosted(), batch_size: 9 })).toBe(9 * groups);
    expect(maxConcurrentRollouts({ ...hosted(), batch_size: 100_000 })).toBe(4096);
    const ahead = { ...hosted("max_steps_off_policy: 2"), batch_size: 9 };
    expect(maxConcurrentRollouts(ahead)).toBe(3 * 9 * groups);
    expect(maxConcurrentRollouts(hosted("max_active_tasks: 5000"))).toBe(5000);
    expect(maxConcurrentRollouts(hosted("max_active_tasks: 7", "max_rollout_concurrency: 3"))).toBe(
      3,
    );
    expect(maxConcurrentRollouts(local())).toBe(32);
  });

  it("drop groups without variance unless advantages are the rewards themselves", () => {
    expect(zeroVariancePolicy(hosted())).toBe("drop");
    expect(zeroVariancePolicy(hosted("advantage_calculation: direct"))).toBe("keep");
    const explicit = hosted("advantage_calculation: direct", "zero_variance: drop");
    expect(zeroVariancePolicy(explicit)).toBe("drop");
  });
});
