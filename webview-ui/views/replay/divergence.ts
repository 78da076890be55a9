/** Finds where two rollouts of the same task diverge. */

import type { ReplayTurn, RolloutBody } from "../../../src/shared/dashboardTypes.ts";

export interface Divergence {
  /** The first turn that differs, from 0; possibly one that only one of them has. */
  readonly turn: number;
  /** Who diverged: the model, or the environment after identical model output. */
  readonly by: "model" | "environment";
}

/** Null if both are the same from start to end. */
export function divergenceOf(
  one: Pick<RolloutBody, "turns">,
  other: Pick<RolloutBody, "turns">,
): Divergence | null {
  const turns = Math.max(one.turns.length, other.turns.length);
  for (let turn = 0; turn < turns; turn += 1) {
    const [a, b] = [one.turns[turn], other.turns[turn]];
    if (a?.sampled.text !== b?.sampled.text) return { turn, by: "model" };
    if (a !== undefined && b !== undefined && answerOf(a) !== answerOf(b))
      return { turn, by: "environment" };
  }
  return null;
}

function answerOf({ results, nudge }: ReplayTurn): string {
  return JSON.stringify([
    nudge?.text ?? null,
    ...results.map(({ name, text, isError, reward }) => [name, text.text, isError, reward]),
  ]);
}
