/** Converts a sample request to one engine request per sequence, or rejects it: `docs/protocols/tinker.md#sampling`. */

import type { EngineModel, EngineSampleRequest, PromptScoreRequest } from "../../engine.ts";
import { userFault } from "../http/faults.ts";
import { readTensor, readTokens } from "../wire/jsonTensors.ts";
import { checkIds } from "../wire/lossInputs.ts";
import type { SampleJson } from "../wire/schemas.ts";
import { sequenceSeed } from "./sequenceSeed.ts";

export interface SamplePlan {
  readonly sequences: readonly EngineSampleRequest[];
  /** Requested scores of the prompt; null = none. */
  readonly score: PromptScoreRequest | null;
  readonly withPromptLogprobs: boolean;
  /** Prompt positions before this one have no scores. */
  readonly firstScored: number;
}

/** @throws AppError `invalid-request` */
export function planSample(
  request: SampleJson,
  numSamples: number,
  model: EngineModel,
  randomSeed: () => number,
): SamplePlan {
  refuseUnsupported(request);
  const prompt = readPrompt(request, model);
  const params = request.sampling_params;
  if (params.top_k !== -1 && params.top_k < 1) {
    throw userFault(`top_k is ${params.top_k}; it must be positive, or -1 for off.`);
  }
  const maxTokens = params.max_tokens ?? model.maxContext - prompt.length;
  if (maxTokens < 1 || prompt.length + maxTokens > model.maxContext) {
    throw userFault(
      `PromptTooLong: ${prompt.length} prompt tokens and ${maxTokens} to sample exceed the ${model.maxContext} of ${model.name}.`,
    );
  }
  const seed = params.seed ?? randomSeed();
  const sequence = {
    prompt,
    maxTokens,
    temperature: params.temperature,
    topK: params.top_k,
    topP: params.top_p,
    ...readStops(params.stop ?? null, model),
    topSampleLogprobs: checkedTop(request.topk_sample_logprobs, "topk_sample_logprobs", model),
  };
  return {
    sequences: Array.from({ length: numSamples }, (_, i) => ({
      ...sequence,
      seed: sequenceSeed(seed, i),
    })),
    score: planScore(request, prompt, model),
    withPromptLogprobs: request.prompt_logprobs === true,
    firstScored: firstScored(request, prompt.length),
  };
}

function refuseUnsupported(request: SampleJson): void {
  if (request.prompt_alt_tokens_k) {
    throw userFault("prompt_alt_tokens_k is not supported by the local engine; leave it out.");
  }
  if (request.record_stability_info) {
    throw userFault("record_stability_info is not supported by the local engine; leave it out.");
  }
}

function readPrompt(request: SampleJson, model: EngineModel): Int32Array {
  const prompt = readTokens(request.prompt, model, "The prompt");
  if (prompt.length === 0) throw userFault("The prompt is empty; send at least one token.");
  checkIds(prompt, model, "The prompt");
  return prompt;
}

/** Absent = the model's end-of-text ids. An empty list = nothing stops before `maxTokens`. */
function readStops(
  stop: string | readonly string[] | readonly number[] | null,
  model: EngineModel,
): Pick<EngineSampleRequest, "stopIds" | "stopStrings"> {
  if (stop === null) return { stopIds: model.eosIds, stopStrings: [] };
  const list = typeof stop === "string" ? [stop] : stop;
  const stopStrings = list.filter((item) => typeof item === "string");
  const stopIds = list.filter((item) => typeof item === "number");
  if (stopStrings.includes("")) throw userFault("stop holds an empty string; leave it out.");
  checkIds(Int32Array.from(stopIds), model, "stop");
  return { stopIds, stopStrings };
}

function planScore(
  request: SampleJson,
  prompt: Int32Array,
  model: EngineModel,
): PromptScoreRequest | null {
  const top = checkedTop(request.topk_prompt_logprobs, "topk_prompt_logprobs", model);
  const targets = readTargets(request, prompt.length, model);
  if (!request.prompt_logprobs && top === 0 && targets === null) return null;
  return {
    prompt,
    top,
    targets: targets?.ids ?? null,
    targetsPerPosition: targets?.perPosition ?? 0,
  };
}

function readTargets(
  request: SampleJson,
  promptLength: number,
  model: EngineModel,
): { readonly ids: Int32Array; readonly perPosition: number } | null {
  if (!request.target_prompt_logprobs) return null;
  const { values, shape } = readTensor(request.target_prompt_logprobs, "target_prompt_logprobs");
  const [rows, perPosition = 0] = shape;
  if (!(values instanceof Int32Array) || shape.length !== 2 || rows !== promptLength - 1) {
    throw userFault(
      `target_prompt_logprobs must be an int64 tensor of shape [${promptLength - 1}, K], not [${shape.join(", ")}].`,
    );
  }
  checkIds(
    values.filter((id) => id !== -1),
    model,
    "target_prompt_logprobs",
  );
  return { ids: values, perPosition };
}

function firstScored(request: SampleJson, promptLength: number): number {
  const lastN = request.prompt_logprobs_last_n ?? null;
  if (lastN === null) return 0;
  if (lastN > promptLength - 1) {
    throw userFault(
      `prompt_logprobs_last_n is ${lastN}; a prompt of ${promptLength} tokens has ${promptLength - 1} scores.`,
    );
  }
  return promptLength - lastN;
}

function checkedTop(top: number | null | undefined, name: string, model: EngineModel): number {
  const count = top ?? 0;
  if (count > model.vocabSize) {
    throw userFault(`${name} is ${count}; the vocabulary has ${model.vocabSize} tokens.`);
  }
  return count;
}
