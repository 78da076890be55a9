/** Runs one sample request on the engine and builds its result. */

import { setMaxListeners } from "node:events";
import type {
  ScoredToken,
  ServedSampleResult,
  TopkRows,
} from "../../../../core/tinker/wire/sampleProto.ts";
import type {
  Engine,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
  Snapshot,
  TopToken,
} from "../../engine.ts";
import type { SamplePlan } from "./samplePlan.ts";

/**
 * Samples all sequences of the plan and scores its prompt. The first error stops the others and is thrown once nothing uses the
 * weights anymore.
 */
export async function runSample(
  engine: Engine,
  weights: Snapshot | null,
  plan: SamplePlan,
  signal: AbortSignal,
): Promise<ServedSampleResult> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  setMaxListeners(0, either); // one per sequence
  const stopOthers = (error: unknown): never => {
    failed.abort(error);
    throw error;
  };
  const scores =
    plan.score === null ? null : engine.scorePrompt(weights, plan.score).catch(stopOthers);
  const sequences = plan.sequences.map((request) =>
    engine.sample(weights, request, either).catch(stopOthers),
  );
  await Promise.allSettled([scores, ...sequences]);
  if (failed.signal.aborted) throw failed.signal.reason;
  return sampleResult(plan, await Promise.all(sequences), await scores);
}

function sampleResult(
  plan: SamplePlan,
  sequences: readonly SampledSequence[],
  scores: PromptScores | null,
): ServedSampleResult {
  return {
    sequences: sequences.map(({ stopReason, tokens, logprobs, topLogprobs }) => ({
      stopReason,
      tokens,
      logprobs,
      topkLogprobs: topLogprobs ? topLogprobs.map(scoredTokens) : null,
    })),
    promptLogprobs:
      scores !== null && plan.withPromptLogprobs
        ? scores.logprobs.map((logprob, i) => (i < plan.firstScored ? Number.NaN : logprob))
        : null,
    topkPromptLogprobs: scores?.top ? topRows(scores.top, plan.firstScored) : null,
    targetPromptLogprobs: scores?.targetLogprobs
      ? { values: scores.targetLogprobs, shape: targetShape(plan.score) }
      : null,
    promptCacheHitTokens: sequences[0]?.cachedPromptTokens ?? 0,
  };
}

function topRows(rows: NonNullable<PromptScores["top"]>, firstScored: number): TopkRows {
  return rows.map((row, i) => (row === null || i < firstScored ? null : scoredTokens(row)));
}

function targetShape(score: PromptScoreRequest | null): readonly number[] {
  return score === null ? [] : [score.prompt.length - 1, score.targetsPerPosition];
}

function scoredTokens(row: readonly TopToken[]): readonly ScoredToken[] {
  return row.map(({ id, logprob }) => ({ token: id, logprob }));
}
