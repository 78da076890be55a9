/** Settings for the rollouts of one environment, resolved from the configuration once. */

import type { Config, EnvironmentConfig } from "../config/fields/schema.ts";
import type { RewardRules } from "./rewards.ts";

export interface RolloutSettings {
  readonly systemPromptTemplate: string | null;
  readonly temperature: number;
  readonly topP: number;
  /** -1 is off; the configuration may also use 0. */
  readonly topK: number;
  readonly maxResponseTokens: number;
  readonly maxTotalTokens: number;
  readonly maxTurns: number;
  readonly maxToolCalls: number | null;
  readonly maxSampledTokens: number | null;
  readonly maxConsecutiveParseErrors: number;
  readonly maxNoToolTurns: number;
  readonly onTurnTruncation: EnvironmentConfig["on_turn_truncation"];
  readonly onImage: EnvironmentConfig["on_image"];
  readonly maxRetries: number;
  readonly rolloutTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  readonly toolTimeoutMs: number | null;
  readonly onToolTimeout: Config["on_tool_timeout"];
  readonly parallelToolCalls: boolean;
  readonly samplingTimeoutMs: number;
  /** Whether missing log-probabilities are requested separately, as training needs them. */
  readonly recomputesLogprobs: boolean;
  /** Whether samples are recorded for `loss_fn: stable_reinforce`. */
  readonly recordsStability: boolean;
  /** Whether to use group scoring if the environment offers it. */
  readonly groupScoring: boolean;
  readonly rewards: RewardRules;
  /** What the teacher reads in addition to the conversation; null for nothing. */
  readonly teacher: TeacherContext | null;
  /** Resolved secret values, for the environment only. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface TeacherContext {
  readonly text: string;
  /** The model's context in tokens. */
  readonly maxTokens: number;
}

/** Inputs to the settings besides the configuration. */
export interface RolloutInputs {
  /** The model's context in tokens; null if unknown. */
  readonly maxContext: number | null;
  /** Resolved secret values, for the environment only. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Settings of `environment`. The model's context bounds the total tokens. */
export function rolloutSettings(
  config: Config,
  environment: EnvironmentConfig,
  options: RolloutInputs,
): RolloutSettings {
  const maxContext = options.maxContext ?? Number.POSITIVE_INFINITY;
  const text = (environment.teacher ?? config.teacher)?.context ?? null;
  return {
    systemPromptTemplate: config.system_prompt_template,
    temperature: environment.temperature,
    topP: environment.top_p ?? 1,
    topK: environment.top_k || -1,
    maxResponseTokens: config.max_response_tokens,
    maxTotalTokens: Math.min(config.max_total_tokens, maxContext),
    maxTurns: environment.max_turns,
    maxToolCalls: environment.max_tool_calls,
    maxSampledTokens: environment.max_sampled_tokens,
    maxConsecutiveParseErrors: environment.max_consecutive_parse_errors,
    maxNoToolTurns: environment.max_no_tool_turns,
    onTurnTruncation: environment.on_turn_truncation,
    onImage: environment.on_image,
    maxRetries: config.max_rollout_retries,
    rolloutTimeoutMs: config.rollout_timeout * 1000,
    sessionTimeoutMs: config.session_timeout * 1000,
    toolTimeoutMs: config.tool_timeout === null ? null : config.tool_timeout * 1000,
    onToolTimeout: config.on_tool_timeout,
    parallelToolCalls: environment.parallel_tool_calls,
    samplingTimeoutMs: config.sampling_timeout * 1000,
    recomputesLogprobs: true,
    recordsStability: config.loss_fn === "stable_reinforce",
    groupScoring: environment.group_scoring,
    rewards: environment,
    teacher: text === null ? null : { text, maxTokens: maxContext },
    secrets: options.secrets,
  };
}
