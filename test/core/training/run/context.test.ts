import { expect, it } from "vitest";
import { derivedText } from "../../../../src/core/config/editing/display/origin.ts";
import { limitsOf } from "../../../../src/core/training/run/context.ts";
import { configIn, textWith } from "../../config/configText.ts";

/** Steps of 32 groups of 16. */
function configWith(...lines: readonly string[]) {
  const text = textWith(...lines).replace("batch_size: 4", "batch_size: 32");
  return configIn(text.replace("num_rollouts: 4", "num_rollouts: 16"));
}

it("all groups of a queue play at once, with one concurrent sample per rollout", () => {
  expect(limitsOf(configWith())).toEqual({ rollouts: 512, samples: 512 });
  expect(limitsOf(configWith("max_steps_off_policy: 2"))).toEqual({
    rollouts: 1536,
    samples: 1536,
  });
});

it("the configured limits apply to a queue", () => {
  const config = configWith(
    "max_steps_off_policy: 2",
    "max_active_tasks: 600",
    "max_samples_in_flight: 300",
  );
  expect(limitsOf(config)).toEqual({ rollouts: 600, samples: 300 });
  expect(limitsOf(configWith("max_active_tasks: 32"))).toEqual({ rollouts: 32, samples: 32 });
});

it("the editor shows the values of the default limits", () => {
  const config = configWith("max_steps_off_policy: 1");
  expect(derivedText(config, ["max_active_tasks"])).toBe("1024");
  expect(derivedText(config, ["max_samples_in_flight"])).toBe("1024");
});
