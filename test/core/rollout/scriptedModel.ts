/** A model with scripted turns, in the chat format and with the tokenizer of the embedded model. */

import { createControlTokens } from "../../../src/core/chat/controlTokens.ts";
import { chatml } from "../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import type {
  Sample,
  SampleRequest,
  SamplingClient,
} from "../../../src/core/tinker/samplingClient.ts";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { untilAborted } from "../../fakes/fakeHttp.ts";

// Also correct in a benchmark, whose modules are bundled elsewhere.
const model = await loadModelTokenizer("src/local/engine/model");
const controls = createControlTokens(model.tokenizer);

export const tokenizer = model.tokenizer;
export const renderer = createTemplateRenderer({ model, family: chatml, thinking: false });

/** Ids of text in which control tokens are encoded as such, as a model would sample them. */
export function encode(text: string): readonly number[] {
  return controls.encode(text);
}

/** A call as the model writes it; the turn continues after it. */
export function call(name: string, args: Readonly<Record<string, unknown>> = {}): string {
  return `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
}

/** The text of a turn that ends normally. */
export function ended(text: string): string {
  return `${text}<|im_end|>`;
}

export interface ScriptedTurn {
  readonly text: string;
  /** One per token; default: -0.5 each. */
  readonly logprobs?: (count: number) => readonly number[] | null;
}

/** A turn, an error to throw, or no answer until the request is aborted. */
export type TurnScript = string | ScriptedTurn | Error | "hang";

export interface ScriptedSampler extends SamplingClient {
  readonly requests: readonly SampleRequest[];
  /** Token lists whose log-probs were requested. */
  readonly recomputed: readonly (readonly number[])[];
}

export interface SamplerOptions {
  readonly computeLogprobs?: (tokens: readonly number[]) => readonly (number | null)[];
  /** The ids of a turn; default: encoded with the embedded model's tokenizer. */
  readonly encodeTurn?: (text: string) => readonly number[];
  /** Called before each answer. */
  readonly beforeAnswer?: (signal: AbortSignal | undefined) => Promise<void>;
}

/** Answers with the turns in order, repeating the last. */
export function scriptedSampler(
  turns: readonly TurnScript[],
  {
    computeLogprobs = (tokens) => tokens.map(() => -0.25),
    beforeAnswer,
    encodeTurn = encode,
  }: SamplerOptions = {},
): ScriptedSampler {
  const requests: SampleRequest[] = [];
  const recomputed: (readonly number[])[] = [];
  return {
    samplerId: "scripted",
    baseModel: null,
    requests,
    recomputed,
    sample: async (request, { meter, signal } = {}) => {
      const turn = turns[Math.min(requests.length, turns.length - 1)] ?? "";
      requests.push(request);
      await beforeAnswer?.(signal);
      signal?.throwIfAborted();
      if (turn === "hang") return await untilAborted(signal);
      if (turn instanceof Error) throw turn;
      const sample = toSample(
        typeof turn === "string" ? { text: turn } : turn,
        request.maxTokens,
        encodeTurn,
      );
      meter?.add({ sampled: sample.tokens.length, prefill_uncached: request.prompt.length });
      return sample;
    },
    computeLogprobs: async (tokens, { meter } = {}) => {
      recomputed.push(tokens);
      meter?.add({ sampled: 1, prefill_uncached: tokens.length });
      return computeLogprobs(tokens);
    },
  };
}

function toSample(
  { text, logprobs }: ScriptedTurn,
  maxTokens: number,
  encodeTurn: (text: string) => readonly number[],
): Sample {
  const tokens = encodeTurn(text).slice(0, maxTokens);
  return {
    tokens,
    logprobs: logprobs === undefined ? tokens.map(() => -0.5) : logprobs(tokens.length),
    stopReason: tokens.at(-1) === encodeTurn("<|im_end|>")[0] ? "stop" : "length",
  };
}
