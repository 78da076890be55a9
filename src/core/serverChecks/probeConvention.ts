/** Samples some tokens as a run would and scores them again, to see which distribution the sampler's log-probabilities belong to. */

import { areUsable } from "../rollout/ledger.ts";
import type { SampleRequest, SamplingClient } from "../tinker/samplingClient.ts";
import { mean } from "../util/stats.ts";
import { answerOrRefusal } from "./refusal.ts";

/** How a run samples, where that is not plain. */
export type ProbedSampling = Pick<SampleRequest, "temperature" | "topP" | "topK">;

/**
 * `raw` = the model's own, whatever the sampling; `scaled` = of the distribution that was sampled from; `unclear` = neither fits
 * clearly better.
 */
export type LogprobConvention = "raw" | "scaled" | "unclear";

/** One token that was sampled after a prompt. */
interface ReportedLogprob {
  /** By the sampler, with the sample. */
  readonly reported: number;
  /** The model's own. */
  readonly own: number;
}

interface ConventionFinding {
  readonly convention: LogprobConvention;
  /** Mean absolute gap of what was reported to the model's own. */
  readonly rawGap: number;
  /** The same to what the temperature makes of it. */
  readonly scaledGap: number;
  /** Different tokens that this rests on. */
  readonly tokens: number;
}

export type ConventionAnswer =
  | ConventionFinding
  /** Why it is not known. */
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

/** A gap of this size is rounding. */
const EXACT = 1e-4;
/** How much smaller one gap must be than the other. */
const CLEARLY = 2;
const FEWEST_TOKENS = 4;

/** Single tokens, all at once, and then one score for each different one. @throws AppError `tinker-*` when out of reach */
export async function probeConvention(
  sampler: SamplingClient,
  probe: ConventionProbe,
): Promise<ConventionAnswer> {
  const groups = await answerOrRefusal(
    Promise.all(
      PROMPT_LENGTHS.map((length, i) => {
        const prompt = probe.tokens.slice(0, length);
        return drawAfter(sampler, prompt, { ...probe, seed: probe.seed + i * DRAWS });
      }),
    ),
  );
  if ("refusal" in groups) return { convention: null, words: groups.refusal };
  return groups.every((group) => group !== null)
    ? logprobConvention(groups, probe.sampling.temperature)
    : { convention: null, words: "it gives no usable log-probabilities with samples" };
}

/** Each different token after `prompt` with both of its log-probs; null when the server gives none. */
async function drawAfter(
  sampler: SamplingClient,
  prompt: readonly number[],
  { sampling, seed, signal }: ConventionProbe,
): Promise<readonly ReportedLogprob[] | null> {
  const request = { prompt, maxTokens: 1, ...sampling, stop: [] };
  const samples = await Promise.all(
    Array.from({ length: DRAWS }, (_, i) =>
      sampler.sample({ ...request, seed: seed + i }, { signal }),
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
      const own = (await sampler.computeLogprobs([...prompt, token], { signal })).at(-1);
      return typeof own === "number" ? [{ reported: logprob, own }] : [];
    }),
  );
  return scored.flat();
}

/**
 * With ℓ reported and p the model's own, raw is ℓ = p, and scaled ℓ = p/T - log Z. All tokens that follow the same prompt share
 * one Z, whatever was cut off, so that they give it: it is the mean of p/T - ℓ.
 * @param groups different tokens after each prompt
 */
function logprobConvention(
  groups: readonly (readonly ReportedLogprob[])[],
  temperature: number,
): ConventionFinding {
  const compared = groups.filter((group) => group.length > 1);
  const rawGap = meanOf(compared.flat().map(({ reported, own }) => Math.abs(reported - own)));
  const scaledGap = meanOf(compared.flatMap((group) => distances(group, temperature)));
  const tokens = compared.flat().length;
  const found = { rawGap, scaledGap, tokens };
  if (tokens < FEWEST_TOKENS) return { convention: "unclear", ...found };
  if (rawGap > EXACT && rawGap > CLEARLY * scaledGap) return { convention: "scaled", ...found };
  // At temperature 1 a cut shifts all tokens alike; without such a shift raw and scaled values are the same.
  const isRaw = temperature === 1 || scaledGap > CLEARLY * Math.max(rawGap, EXACT);
  return { convention: isRaw ? "raw" : "unclear", ...found };
}

function distances(group: readonly ReportedLogprob[], temperature: number): readonly number[] {
  const shifts = group.map(({ reported, own }) => reported - own / temperature);
  const shift = meanOf(shifts);
  // The mean of few values lies nearer to them than the true value does, so the gap is widened.
  const few = Math.sqrt(group.length / (group.length - 1));
  return shifts.map((value) => Math.abs(value - shift) * few);
}

function meanOf(values: readonly number[]): number {
  return mean(values) ?? 0;
}
