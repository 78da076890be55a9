/** Samples some tokens as in a run and scores them, to find out which distribution the sampler's log-probabilities are from. */

import { areUsable } from "../rollout/ledger.ts";
import type { SampleRequest, SamplingClient } from "../tinker/samplingClient.ts";
import { mean } from "../util/stats.ts";
import { answerOrRefusal } from "./refusal.ts";

/** Sampling settings of a run that differ from plain sampling. */
export type ProbedSampling = Pick<SampleRequest, "temperature" | "topP" | "topK">;

/**
 * `raw` = the model's own, independent of sampling settings; `scaled` = of the distribution used for sampling; `unclear` =
 * neither fits clearly better.
 */
export type LogprobConvention = "raw" | "scaled" | "unclear";

/** One token that was sampled after a prompt. */
interface ReportedLogprob {
  /** Reported by the sampler with the sample. */
  readonly reported: number;
  /** From the model itself. */
  readonly own: number;
}

interface ConventionFinding {
  readonly convention: LogprobConvention;
  /** Mean absolute difference between reported values and the model's own. */
  readonly rawGap: number;
  /** The same for the model's values scaled by the temperature. */
  readonly scaledGap: number;
  /** Number of distinct tokens in the comparison. */
  readonly tokens: number;
}

export type ConventionAnswer =
  | ConventionFinding
  /** Why it is unknown. */
  | { readonly convention: null; readonly words: string };

export interface ConventionProbe {
  /** Text as tokens of the model. */
  readonly tokens: readonly number[];
  readonly sampling: ProbedSampling;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Short prompts, after which many different tokens are possible. 64 samples in total. */
const PROMPT_LENGTHS = [1, 2, 4, 7];
const DRAWS = 16;

/** Differences up to this size are rounding. */
const EXACT = 1e-4;
/** Factor by which one difference must be smaller than the other. */
const CLEARLY = 2;
const FEWEST_TOKENS = 4;

/** Samples single tokens in parallel, then scores each distinct one. @throws AppError `tinker-*` when unreachable */
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

/** Each distinct token after `prompt` with both log-probabilities; null if the server gives none. */
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
 * With ℓ reported and p the model's own log-probability, raw means ℓ = p, and scaled means ℓ = p/T - log Z. All tokens after the
 * same prompt share one Z, regardless of truncation. It is estimated as the mean of p/T - ℓ.
 * @param groups distinct tokens after each prompt
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
  // At temperature 1, truncation shifts all tokens equally. Without a shift, raw and scaled values are the same.
  const isRaw = temperature === 1 || scaledGap > CLEARLY * Math.max(rawGap, EXACT);
  return { convention: isRaw ? "raw" : "unclear", ...found };
}

function distances(group: readonly ReportedLogprob[], temperature: number): readonly number[] {
  const shifts = group.map(({ reported, own }) => reported - own / temperature);
  const shift = meanOf(shifts);
  // The mean of a few values is closer to them than the true mean is, so this is corrected.
  const few = Math.sqrt(group.length / (group.length - 1));
  return shifts.map((value) => Math.abs(value - shift) * few);
}

function meanOf(values: readonly number[]): number {
  return mean(values) ?? 0;
}
