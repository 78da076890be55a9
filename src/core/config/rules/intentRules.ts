/** Findings about settings that are valid but silently do something other than their names suggest. */

import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, type Finding, hint, note } from "../source/finding.ts";
import { preferred, setKeyTo, setTo } from "../source/remedy.ts";
import { valueAt } from "./issues.ts";

/** Gradient norms are in the hundreds for a sum over tokens and about 1 for a mean. */
const SMALL_NORM = 10;
/** From this many steps off-policy, clipping alone leaves much of a batch without a gradient. */
const MANY_STEPS_AHEAD = 4;
/** Typical tokens per second of one rollout at a hosted service, not counting tools. */
const TOKENS_PER_SECOND = 60;

/** `values` is the configuration before defaults. */
export function intentFindings(config: Config, values: unknown): readonly Finding[] {
  const { method } = config;
  return [
    ...(method === "rl" ? policyIntentFindings(config) : []),
    ...(method === "collect" ? [] : clipNormFindings(config)),
    ...(method === "sft" ? [] : timeoutFindings(config, values)),
  ];
}

function policyIntentFindings(config: Config): readonly Finding[] {
  return [
    ...gspoFindings(config),
    ...substepFindings(config),
    ...lagFindings(config),
    ...pairFindings(config),
    ...missingRewardFindings(config),
  ];
}

/** GSPO weights all rollouts equally (Zheng et al. 2025, arXiv:2507.18071, equation 5). */
function gspoFindings({ loss_fn, loss_normalization }: Config): readonly Finding[] {
  if (loss_fn !== "gspo" || loss_normalization === "sequence_mean") return [];
  const message = `GSPO weights all rollouts equally, but \`loss_normalization: ${loss_normalization}\` weights them by length. Set \`sequence_mean\`.`;
  const path = ["loss_normalization"];
  const remedies = [preferred(setKeyTo(path, "sequence_mean"))];
  return [advice("TRL204", ["loss_fn"], message, { relatedPaths: [path], remedies })];
}

function clipNormFindings({ grad_clip_norm, loss_normalization }: Config): readonly Finding[] {
  const isSmall = grad_clip_norm > 0 && grad_clip_norm <= SMALL_NORM;
  if (!isSmall || loss_normalization !== "token_sum") return [];
  const path = ["loss_normalization"];
  const message = `With \`token_sum\` the norm of a gradient grows with the number of tokens, so ${grad_clip_norm} clips nearly every update. Set \`loss_normalization: token_mean\`, or a much larger norm.`;
  const remedies = [preferred(setKeyTo(path, "token_mean"))];
  return [advice("TRL204", ["grad_clip_norm"], message, { relatedPaths: [path], remedies })];
}

function substepFindings({ loss_fn, num_substeps }: Config): readonly Finding[] {
  if (loss_fn !== "importance_sampling" || num_substeps === 1) return [];
  const path = ["loss_fn"];
  const message = `After the first of ${num_substeps} updates the weights are no longer those that sampled, and \`importance_sampling\` does not bound the ratios. Use \`ppo\` or \`cispo\`, which clip them.`;
  const remedies = [preferred(setKeyTo(path, "ppo"))];
  return [note("TRL203", ["num_substeps"], message, { relatedPaths: [path], remedies })];
}

function lagFindings(config: Config): readonly Finding[] {
  const { loss_fn, max_steps_off_policy: steps, off_policy_correction: correction } = config;
  // Importance sampling is covered by the correction rules, and `stable_reinforce` is for such data.
  const isOther = loss_fn === "importance_sampling" || loss_fn === "stable_reinforce";
  if (steps < MANY_STEPS_AHEAD || correction !== "none" || isOther) return [];
  const path = ["off_policy_correction"];
  const message = `Rollouts are trained up to ${steps} steps off-policy without a correction. Use \`off_policy_correction: tis\`, or fewer steps.`;
  const remedies = [preferred(setKeyTo(path, "tis"))];
  return [note("TRL203", ["max_steps_off_policy"], message, { relatedPaths: [path], remedies })];
}

/** With two rollouts, normalized advantages are always +1 and -1, or both zero. */
function pairFindings({ environments }: Config): readonly Finding[] {
  return Object.entries(environments).flatMap(([name, { num_rollouts }]) => {
    if (num_rollouts > 2) return [];
    const path = ["environments", name, "num_rollouts"];
    const message =
      "With two rollouts per task an advantage says only which was better, not by how much. Use 8 to 16.";
    return [note("TRL200", path, message, { remedies: [preferred(setTo(path, 8))] })];
  });
}

/** Both values are defaults of the original program. */
function missingRewardFindings({ environments }: Config): readonly Finding[] {
  return Object.entries(environments).flatMap(([name, environment]) => {
    if (environment.nonterminal_reward !== null || environment.max_failing_rollouts > 0) return [];
    const path = ["environments", name];
    const message =
      "If a rollout ends without a reward, for example at a turn or token limit, training skips its whole group. Set `nonterminal_reward: 0`, so that it counts as wrong.";
    const fix = setKeyTo([...path, "nonterminal_reward"], 0);
    return [hint("TRL200", path, message, { part: "key", remedies: [preferred(fix)] })];
  });
}

function timeoutFindings(config: Config, values: unknown): readonly Finding[] {
  const { max_total_tokens, rollout_timeout, model_name } = config;
  const needed = Math.ceil(max_total_tokens / TOKENS_PER_SECOND);
  // The defaults come from the original program and do not show what the user intends.
  const place = [["max_total_tokens"], ["rollout_timeout"]].find(
    (key) => valueAt(values, key) !== undefined,
  );
  if (place === undefined || isLocalModel(model_name) || needed <= rollout_timeout) return [];
  const path = ["rollout_timeout"];
  const message = `A rollout of ${max_total_tokens} tokens takes about ${needed} seconds at ${TOKENS_PER_SECOND} tokens per second, but ends after ${rollout_timeout}.`;
  const value = Math.ceil(needed / 60) * 60;
  const remedies = [preferred(setKeyTo(path, value))];
  return [note("TRL202", place, message, { relatedPaths: [path], remedies })];
}
