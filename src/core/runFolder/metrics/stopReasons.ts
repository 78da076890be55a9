/** Why rollouts end. The first four are those of the original program's dashboards. */

export const STOP_REASONS = [
  "reached_terminal_state",
  "max_tokens",
  "max_retries",
  "error",
  "max_turns",
  "max_tool_calls",
  "max_sampled_tokens",
  "parse_error",
  "no_tool_call",
  "turn_truncated",
  "rollout_timeout",
  "tool_timeout",
  "tool_crashed",
  "tool_reply_too_long",
  "agent_ended",
  "agent_failed",
  "agent_timeout",
] as const;

export type StopReason = (typeof STOP_REASONS)[number];

/** Caused by the environment. These rollouts count as wrong, but the model cannot learn to avoid them. */
export const ENVIRONMENT_STOPS: ReadonlySet<string> = new Set<StopReason>([
  "tool_crashed",
  "tool_timeout",
  "tool_reply_too_long",
]);
