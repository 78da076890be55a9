/**
 * What becomes of rollouts that ran into a limit of tokens, or came near one. `mask` takes their tokens out of the loss while their
 * rewards stay in the baseline of the group: overlong filtering of DAPO (Yu et al. 2025, arXiv:2503.14476, section 3.4). `penalty` lowers
 * their rewards: the soft overlong punishment of the same section, where the limit is the nearest of those that a rollout has.
 */

import { overlongBuffer } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { sum } from "../../util/stats.ts";

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
export function overlongPenalty(rollout: FinishedRollout, config: Config): number {
  if (config.overlong !== "penalty") return 0;
  const buffer = overlongBuffer(config);
  const left = isOverlong(rollout) ? 0 : tokensLeft(rollout, config);
  return config.overlong_penalty * Math.min(Math.max((buffer - left) / buffer, 0), 1);
}

/** Tokens between the rollout and the nearest of its limits. */
function tokensLeft({ facts, streams, task }: FinishedRollout, config: Config): number {
  const turns = facts.turns.map(({ sampledTokens }) => sampledTokens);
  const maxSampled = config.environments[task.environment]?.max_sampled_tokens ?? null;
  return Math.min(
    config.max_response_tokens - Math.max(0, ...turns),
    config.max_total_tokens - Math.max(0, ...streams.map(({ length }) => length)),
    (maxSampled ?? Number.POSITIVE_INFINITY) - sum(turns),
  );
}
