/**
 * What becomes of rollouts that ran into a limit of tokens, or came near one. `mask` takes their tokens out of the loss while their
 * rewards stay in the baseline of the group: overlong filtering of DAPO (Yu et al. 2025, arXiv:2503.14476, section 3.4). `penalty` lowers
 * their rewards: the soft overlong punishment of the same section, where the limit is the nearest of those that a rollout was played with.
 */

import { overlongBuffer } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";

const LENGTH_STOPS: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_sampled_tokens",
  "turn_truncated",
]);

/** True when a limit of tokens ended the rollout, or cut its last turn before another limit ended it. */
export function isOverlong({ facts }: Pick<FinishedRollout, "facts">): boolean {
  if (LENGTH_STOPS.has(facts.stop)) return true;
  return facts.stop !== "reached_terminal_state" && facts.turns.at(-1)?.isTruncated === true;
}

/**
 * What `overlong: penalty` takes off the reward: 0 with `overlong_buffer` tokens or more left below the nearest limit, from there in
 * a straight line to all of `overlong_penalty` where none is left and for a rollout that is too long.
 */
export function overlongPenalty(rollout: Pick<FinishedRollout, "facts">, config: Config): number {
  if (config.overlong !== "penalty") return 0;
  const buffer = overlongBuffer(config);
  const left = isOverlong(rollout) ? 0 : rollout.facts.tokensLeft;
  return config.overlong_penalty * Math.min(Math.max((buffer - left) / buffer, 0), 1);
}
