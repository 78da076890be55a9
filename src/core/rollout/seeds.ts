/** Seeds of sampling requests: derived from what is sampled, so that they depend neither on timing nor on resumes. */

import type { Sha256 } from "../ports.ts";

export interface RolloutKey {
  readonly step: number;
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  readonly rollout: number;
}

/** Low 31 bits of the digest's first eight hex digits (training-loop rule C.2.5). */
function lowBits(sha256: Sha256, text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16) & 0x7fffffff;
}

export function rolloutSeed(
  sha256: Sha256,
  seed: number,
  key: RolloutKey,
  attempt: number,
  turn: number,
): number {
  const { step, environment, split, index, rollout } = key;
  return lowBits(
    sha256,
    `roll|${seed}|${step}|${environment}|${split}|${index}|${rollout}|${attempt}|${turn}`,
  );
}

/** Evaluation has its own seeds, the same at every step, so that its curve compares like with like. */
export function evaluationSeed(
  sha256: Sha256,
  seed: number,
  key: Omit<RolloutKey, "step">,
  attempt: number,
  turn: number,
): number {
  const { environment, split, index, rollout } = key;
  return lowBits(
    sha256,
    `eval|${seed}|${environment}|${split}|${index}|${rollout}|${attempt}|${turn}`,
  );
}
