/** Seeds of sampling requests, derived from what is sampled so that they depend on neither timing nor resumes. */

import type { Sha256 } from "../ports.ts";

/** A training rollout. */
export interface RolloutSeedKey {
  /** Includes the position in the task sequence, so a repeated task has another key, even within a step. */
  readonly taskKey: string;
  readonly rollout: number;
}

/** An evaluation rollout. */
export interface EvaluationKey {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  readonly rollout: number;
}

/** Low 31 bits of the digest's first eight hex digits. */
function lowBits(sha256: Sha256, text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16) & 0x7fffffff;
}

export function rolloutSeed(
  sha256: Sha256,
  seed: number,
  key: RolloutSeedKey,
  turn: number,
): number {
  const { taskKey, rollout } = key;
  return lowBits(sha256, `roll|${seed}|${taskKey}|${rollout}|0|${turn}`);
}

/** Evaluations have their own seeds, identical at every step, so that their results are comparable. */
export function evaluationSeed(
  sha256: Sha256,
  seed: number,
  key: EvaluationKey,
  turn: number,
): number {
  const { environment, split, index, rollout } = key;
  return lowBits(sha256, `eval|${seed}|${environment}|${split}|${index}|${rollout}|0|${turn}`);
}

/** For a conversation with a person: `attempt` counts resamplings of the turn, `sample` numbers samples drawn side by side. */
export function conversationSeed(
  sha256: Sha256,
  seed: number,
  { turn, attempt, sample }: Readonly<Record<"turn" | "attempt" | "sample", number>>,
): number {
  return lowBits(sha256, `chat|${seed}|${turn}|${attempt}|${sample}`);
}
