/** Samples some tokens as a run would and scores them again, to see which distribution the sampler's log-probabilities belong to. */

import { areUsable } from "../rollout/ledger.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import {
  type ConventionFinding,
  logprobConvention,
  type ReportedLogprob,
} from "./logprobConvention.ts";
import { isRefusal, refusalWords } from "./refusal.ts";

/** How a run samples, where that is not plain. */
export interface ProbedSampling {
  readonly temperature: number;
  readonly topP: number;
  /** -1 = off. */
  readonly topK: number;
}

export type ConventionAnswer =
  | ConventionFinding
  /** Why it cannot be told. */
  | { readonly convention: null; readonly words: string };

export interface ConventionProbe {
  /** Text in the model's tokens. */
  readonly tokens: readonly number[];
  readonly sampling: ProbedSampling;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Short prompts, after which many tokens are possible and differ. Together 64 tokens. */
const PROMPT_LENGTHS = [1, 2, 4, 7];
const DRAWS = 16;

/** Single tokens, all at once, and then one score for each different one. @throws AppError `tinker-*` when out of reach */
export async function probeConvention(
  sampler: SamplingClient,
  probe: ConventionProbe,
): Promise<ConventionAnswer> {
  const { tokens, sampling, seed } = probe;
  try {
    const groups = await Promise.all(
      PROMPT_LENGTHS.map((length, i) => {
        const own = { ...probe, tokens: tokens.slice(0, length), seed: seed + i * DRAWS };
        return drawAfter(sampler, own);
      }),
    );
    const isReported = groups.every((group) => group !== null);
    return isReported
      ? logprobConvention(groups, sampling.temperature)
      : { convention: null, words: "it gives no usable log-probabilities with samples" };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { convention: null, words: refusalWords(error) };
  }
}

/** Each different token after `tokens` with both of its log-probs; null when the server gives none. */
async function drawAfter(
  sampler: SamplingClient,
  { tokens: prompt, sampling, seed, signal }: ConventionProbe,
): Promise<readonly ReportedLogprob[] | null> {
  const request = { prompt, maxTokens: 1, ...sampling, stop: [] };
  // Each request gets a signal of its own: Node warns of a leak when one has dozens of listeners.
  const options = () => ({ signal: AbortSignal.any([signal]) });
  const samples = await Promise.all(
    Array.from({ length: DRAWS }, (_, i) =>
      sampler.sample({ ...request, seed: seed + i }, options()),
    ),
  );
  const reported = new Map<number, number>();
  for (const { tokens, logprobs } of samples) {
    const [token] = tokens;
    const [logprob] = logprobs ?? [];
    if (token === undefined || logprob === undefined || !areUsable(tokens, logprobs)) return null;
    reported.set(token, logprob);
  }
  const scored = await Promise.all(
    Array.from(reported, async ([token, logprob]) => {
      const own = (await sampler.computeLogprobs([...prompt, token], options())).at(-1);
      return typeof own === "number" ? [{ reported: logprob, own }] : [];
    }),
  );
  return scored.flat();
}
