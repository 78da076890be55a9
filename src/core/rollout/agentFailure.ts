/** Why the agent of a rollout failed, and what it said about that. */

import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** Null where there is none, or it ended well. */
export function agentFailure({
  agent,
  stop,
}: Pick<RolloutRecord, "agent" | "stop">): string | null {
  if (agent === undefined) return null;
  const said = printedText(agent.output);
  if (stop === "agent_failed") return `The agent ended with ${agent.exit}.${said}`;
  const isLate = stop === "agent_timeout" || stop === "rollout_timeout";
  return isLate ? `The agent did not end in time.${said}` : null;
}

/** A sentence, behind a space, with the end of what a program printed; empty where that is nothing. */
export function printedText(output: string): string {
  const printed = output.trim().slice(-600);
  return printed === "" ? "" : ` It printed: ${printed}`;
}
