/** A run whose learning rate was ten times too high peaked at its third step and fell to 0; no alarm named the decline. */

import { expect, it } from "vitest";
import { type Numbers, watched } from "../core/alarms/aRow.ts";

/** Mean rewards of that run on the embedded engine, 64 rollouts a step. */
const REWARDS = [0.188, 0.391, 0.672, 0.375, 0.219, 0.188, 0.203, 0.016, 0, 0.016, 0, 0];

it("reports a decline although the peak was within the first level", () => {
  const steps = REWARDS.map((reward): Numbers => {
    const deviation = Math.sqrt(reward * (1 - reward));
    return {
      "rollout/reward/mean": reward,
      "rollout/reward/std": deviation,
      // Of 8 groups of 8.
      "rollout/reward/group_std": deviation / Math.sqrt(8),
    };
  });
  const { changes } = watched(steps);
  expect(changes).toEqual(["5 reward_decline begins"]);
});
