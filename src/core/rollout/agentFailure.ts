/** Why the agent of a rollout failed, and what it said about that. */

import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

const PRINTED = " It printed: ";
const MAX_PRINTED = 600;

/** Null where there is none, or it ended well. */
export function agentFailure({ agent }: Pick<RolloutRecord, "agent">): string | null {
  if (agent?.failure === undefined) return null;
  return `${agent.failure}${printedText(agent.output)}`;
}

/** A sentence, behind a space, with the last lines of what a program printed; empty where that is nothing. */
export function printedText(output: string): string {
  const all = output.trim();
  const end = all.slice(-MAX_PRINTED);
  const printed = all === end ? all : end.slice(end.indexOf("\n") + 1);
  return printed === "" ? "" : `${PRINTED}${printed}`;
}

/** A failure without what a program printed. */
export function withoutPrinted(failure: string): string {
  return failure.split(PRINTED)[0] ?? failure;
}
