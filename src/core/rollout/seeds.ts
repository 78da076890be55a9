/** Seeds of sampling requests: derived from what is sampled, so that they depend neither on timing nor on resumes. */

import type { Sha256 } from "../ports.ts";

/** One rollout of training. */
export interface RolloutSeedKey {
  /** With its position in the sequence of tasks: a task that comes again, in the same step too, has another key. */
  readonly taskKey: string;
  readonly rollout: number;
}

/** One rollout of an evaluation. */
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

/** Evaluation has its own seeds, the same at every step, so that its curve compares like with like. */
export function evaluationSeed(
  sha256: Sha256,
  seed: number,
  key: EvaluationKey,
  turn: number,
): number {
  const { environment, split, index, rollout } = key;
  return lowBits(sha256, `eval|${seed}|${environment}|${split}|${index}|${rollout}|0|${turn}`);
}

/** A conversation with a person: `attempt` counts how often the turn was sampled again, `sample` those that were drawn side by side. */
export function conversationSeed(
  sha256: Sha256,
  seed: number,
  { turn, attempt, sample }: Readonly<Record<"turn" | "attempt" | "sample", number>>,
): number {
  return lowBits(sha256, `chat|${seed}|${turn}|${attempt}|${sample}`);
}
