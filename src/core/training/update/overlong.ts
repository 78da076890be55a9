/**
 * Handles rollouts that reached a token limit or came close. `mask` removes their tokens from the loss but keeps their rewards in the
 * group's baseline: overlong filtering of DAPO (Yu et al. 2025, arXiv:2503.14476, section 3.4). `penalty` lowers their rewards: the soft
 * overlong punishment of the same section, with the nearest limit that applied to the rollout.
 */

import { overlongBuffer } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";

const LENGTH_STOPS: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_sampled_tokens",
  "turn_truncated",
]);

/** True when a token limit ended the rollout, or truncated its last turn before another limit ended it. */
export function isOverlong({ facts }: Pick<FinishedRollout, "facts">): boolean {
  if (LENGTH_STOPS.has(facts.stop)) return true;
  return facts.stop !== "reached_terminal_state" && facts.turns.at(-1)?.isTruncated === true;
}

/**
 * How much `overlong: penalty` subtracts from the reward: 0 if at least `overlong_buffer` tokens are left below the nearest limit, rising
 * linearly to `overlong_penalty` if none is left or the rollout is overlong.
 */
export function overlongPenalty(rollout: Pick<FinishedRollout, "facts">, config: Config): number {
  if (config.overlong !== "penalty") return 0;
  const buffer = overlongBuffer(config);
  const left = isOverlong(rollout) ? 0 : rollout.facts.tokensLeft;
  return config.overlong_penalty * Math.min(Math.max((buffer - left) / buffer, 0), 1);
}
