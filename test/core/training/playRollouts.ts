/** Plays rollouts for tests of the player. */

import type { FinishedRollout, RolloutTask } from "../../../src/core/rollout/rollout.ts";
import {
  type CollectOptions,
  collectRollouts,
} from "../../../src/core/training/generation/collectRollouts.ts";
import type { PlayContext } from "../../../src/core/training/run/context.ts";
import { call, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import type { FakeContext } from "./fakeContext.ts";

/** Plays with a model that takes a second per turn, unless `options` names another sampler. */
export function playRollouts(
  context: PlayContext & Pick<FakeContext, "clock">,
  rollouts: readonly RolloutTask[],
  options: Partial<CollectOptions> = {},
): Promise<readonly FinishedRollout[]> {
  const beforeAnswer = (signal: AbortSignal | undefined) => context.clock.sleep(1_000, signal);
  return collectRollouts(context, rollouts, {
    sampler: scriptedSampler([ended(call("answer"))], { beforeAnswer }),
    seedOf: () => 7,
    onFinished: async () => undefined,
    onUsed: () => undefined,
    ...options,
  });
}
