/** A model with known distributions, sampled like a server: draws with temperature and cutoffs, and scores in either convention. */

import type { ProbedSampling } from "../../../src/core/serverChecks/probeConvention.ts";
import type { SampleRequest, SamplingClient } from "../../../src/core/tinker/samplingClient.ts";

export interface ToyOptions {
  readonly reports: "raw" | "scaled";
  /** Standard deviation of the difference between sampling and scoring. */
  readonly noise?: number;
  /** How uneven the distributions are; 0 = uniform. */
  readonly sharpness?: number;
}

const TOY_VOCABULARY = 50;

export function toySampler({ reports, noise = 0, sharpness = 4 }: ToyOptions): SamplingClient {
  const random = uniforms(11);
  const jitter = (): number =>
    noise * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  return {
    samplerId: "toy",
    baseModel: null,
    sample: async (request) => {
      const stream = [...request.prompt];
      const logprobs: number[] = [];
      for (let i = 0; i < request.maxTokens; i++) {
        const own = distribution(stream.at(-1) ?? 0, sharpness);
        const drawn = scaled(own, request);
        const token = draw(drawn, random());
        stream.push(token);
        const value = (reports === "raw" ? own : drawn)[token] ?? 0;
        logprobs.push(Math.min(0, value + jitter()));
      }
      const tokens = stream.slice(request.prompt.length);
      return { tokens, logprobs, stopReason: "length" };
    },
    computeLogprobs: async (tokens) =>
      tokens.map((token, i) =>
        i === 0 ? null : (distribution(tokens[i - 1] ?? 0, sharpness)[token] ?? null),
      ),
  };
}

/** Log-probs of the token after `token`. */
function distribution(token: number, sharpness: number): readonly number[] {
  const random = uniforms(1 + token);
  return logSoftmax(Array.from({ length: TOY_VOCABULARY }, () => sharpness * random()));
}

function scaled(
  own: readonly number[],
  { temperature, topP, topK }: Pick<SampleRequest, keyof ProbedSampling>,
): readonly number[] {
  const tempered = logSoftmax(own.map((logprob) => logprob / temperature));
  const order = tempered.toSorted((one, other) => other - one);
  const byCount = topK > 0 ? (order[topK - 1] ?? 0) : Number.NEGATIVE_INFINITY;
  let mass = 0;
  const byMass = order.find((logprob) => {
    mass += Math.exp(logprob);
    return mass >= topP;
  });
  const least = Math.max(byCount, byMass ?? Number.NEGATIVE_INFINITY);
  return logSoftmax(
    tempered.map((logprob) => (logprob >= least ? logprob : Number.NEGATIVE_INFINITY)),
  );
}

function logSoftmax(values: readonly number[]): readonly number[] {
  const total = Math.log(values.reduce((sum, value) => sum + Math.exp(value), 0));
  return values.map((value) => value - total);
}

function draw(logprobs: readonly number[], uniform: number): number {
  let mass = 0;
  const found = logprobs.findIndex((logprob) => {
    mass += Math.exp(logprob);
    return mass > uniform;
  });
  return found >= 0 ? found : logprobs.indexOf(Math.max(...logprobs));
}

/** A deterministic generator of numbers in [0, 1). */
function uniforms(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}
