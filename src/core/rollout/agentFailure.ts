/** Describes why a rollout's agent failed, and what it printed. */

import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

const PRINTED = " It printed: ";
const MAX_PRINTED = 600;

/** Null without an agent, or if it succeeded. */
export function agentFailure({ agent }: Pick<RolloutRecord, "agent">): string | null {
  if (agent?.failure === undefined) return null;
  return `${agent.failure}${printedText(agent.output)}`;
}

/** A sentence, starting with a space, with the last lines of a program's output; empty without output. */
export function printedText(output: string): string {
  const all = output.trim();
  const end = all.slice(-MAX_PRINTED);
  const printed = all === end ? all : end.slice(end.indexOf("\n") + 1);
  return printed === "" ? "" : `${PRINTED}${printed}`;
}

/** The failure without the program's output. */
export function withoutPrinted(failure: string): string {
  return failure.split(PRINTED)[0] ?? failure;
}
