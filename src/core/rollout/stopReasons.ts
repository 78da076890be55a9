/** Why rollouts end; the first four names are those of the original program's dashboards. */

export type StopReason =
  | "reached_terminal_state"
  | "max_tokens"
  | "max_retries"
  | "error"
  | "max_turns"
  | "max_tool_calls"
  | "max_sampled_tokens"
  | "parse_error"
  | "no_tool_call"
  | "turn_truncated"
  | "rollout_timeout"
  | "cancelled";
