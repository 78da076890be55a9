/** Whether the log-probabilities of sampled tokens hold the temperature and the cuts that they were sampled with. */

/**
 * `raw` = the model's own, whatever the sampling; `scaled` = of the distribution that was sampled from; `unclear` = neither fits
 * clearly better.
 */
export type LogprobConvention = "raw" | "scaled" | "unclear";

/** One token that was sampled after a prompt. */
export interface ReportedLogprob {
  /** By the sampler, with the sample. */
  readonly reported: number;
  /** The model's own. */
  readonly own: number;
}

export interface ConventionFinding {
  readonly convention: LogprobConvention;
  /** Mean absolute gap of what was reported to the model's own. */
  readonly rawGap: number;
  /** The same to what the temperature makes of it. */
  readonly scaledGap: number;
  /** Different tokens that this rests on. */
  readonly tokens: number;
}

/** A gap of this size is rounding. */
const EXACT = 1e-4;
/** How much smaller one gap must be than the other. */
const CLEARLY = 2;
const FEWEST_TOKENS = 4;

/**
 * With ℓ reported and p the model's own, raw is ℓ = p, and scaled ℓ = p/T - log Z. All tokens that follow the same prompt share
 * one Z, whatever was cut off, so that it can be told from them: it is the mean of p/T - ℓ.
 * @param groups different tokens after each prompt
 */
export function logprobConvention(
  groups: readonly (readonly ReportedLogprob[])[],
  temperature: number,
): ConventionFinding {
  const told = groups.filter((group) => group.length > 1);
  const rawGap = mean(told.flat().map(({ reported, own }) => Math.abs(reported - own)));
  const scaledGap = mean(told.flatMap((group) => distances(group, temperature)));
  const tokens = told.flat().length;
  const found = { rawGap, scaledGap, tokens };
  if (tokens < FEWEST_TOKENS) return { convention: "unclear", ...found };
  if (rawGap > EXACT && rawGap > CLEARLY * scaledGap) return { convention: "scaled", ...found };
  // At temperature 1 a cut shifts all tokens alike; without such a shift raw and scaled values are the same.
  const isRaw = temperature === 1 || scaledGap > CLEARLY * Math.max(rawGap, EXACT);
  return { convention: isRaw ? "raw" : "unclear", ...found };
}

function distances(group: readonly ReportedLogprob[], temperature: number): readonly number[] {
  const shifts = group.map(({ reported, own }) => reported - own / temperature);
  const shift = mean(shifts);
  // The mean of few values lies nearer to them than the true value does, so the gap is widened.
  const few = Math.sqrt(group.length / (group.length - 1));
  return shifts.map((value) => Math.abs(value - shift) * few);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
