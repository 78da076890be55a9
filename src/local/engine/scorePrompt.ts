/** Log-probs of a prompt's own tokens, of the most likely tokens, and of given targets. */

import type { Decoder } from "./decoder.ts";
import type { PromptScoreRequest, PromptScores, TopToken } from "./engine.ts";
import type { LoraWeights } from "./loraWeights.ts";
import { topTokens } from "./sampleToken.ts";

/** Scores a prompt in a decoder slot, overwriting its cache. */
export function scorePrompt(
  decoder: Decoder,
  merged: LoraWeights,
  slot: number,
  request: PromptScoreRequest,
): PromptScores {
  const { prompt } = request;
  const logprobs = new Float32Array(prompt.length).fill(Number.NaN);
  const top: (readonly TopToken[] | null)[] = [null];
  const targetLogprobs = request.targets === null ? null : new Float32Array(request.targets.length);
  decoder.truncate(slot, 0);
  const tokens = prompt.subarray(0, -1);
  const rows = decoder.step(merged, [{ slot, tokens, wanted: tokens.length }]);
  const vocabulary = rows.length / tokens.length;
  for (let position = 1; position < prompt.length; position++) {
    const row = rows.subarray((position - 1) * vocabulary, position * vocabulary);
    logprobs[position] = row[prompt[position] ?? 0] ?? Number.NaN;
    if (request.top > 0) top.push(topTokens(row, request.top));
    if (targetLogprobs !== null) fillTargets(request, position, row, targetLogprobs);
  }
  return { logprobs, top: request.top > 0 ? top : null, targetLogprobs };
}

function fillTargets(
  request: PromptScoreRequest,
  position: number,
  row: Float32Array,
  out: Float32Array,
): void {
  const start = (position - 1) * request.targetsPerPosition;
  for (let k = start; k < start + request.targetsPerPosition; k++) {
    const target = request.targets?.[k] ?? -1;
    out[k] = target < 0 ? 0 : (row[target] ?? 0);
  }
}
