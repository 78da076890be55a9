/** One turn of the model in a conversation: its sampling and its content. */

import type { Chat } from "../chat/chat.ts";
import type { ParsedTurn, ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { TerminalTool } from "../openreward/types.ts";
import { callsOf } from "../rollout/runCalls.ts";
import { type SampledTurn, sampleTurn, stopsOf } from "../rollout/sampleTurn.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";

export interface SamplingSettings {
  readonly temperature: number;
  readonly topP: number;
  /** -1 = off. */
  readonly topK: number;
  readonly maxTokens: number;
  /** Each turn's seed is derived from it. */
  readonly seed: number;
}

export interface ModelTurn extends SampledTurn {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[] | null;
  readonly parsed: ParsedTurn;
  /** Calls of the turn, including a final message to an environment that grades it. */
  readonly calls: readonly ToolCall[];
  /** The sampled ids as text, including control tokens. */
  readonly text: string;
  /** Token ids sent before the turn. */
  readonly context: readonly number[];
  /** Seed sent with the request; null for a turn that was sampled elsewhere. */
  readonly seed: number | null;
}

/** Everything needed to parse turns. */
export interface TurnReader {
  readonly chat: Chat;
  /** Tools that the model can call, for the parser. */
  readonly tools: readonly ToolDeclaration[];
  readonly terminalTool: TerminalTool | null;
}

export interface TurnRequest {
  readonly context: readonly number[];
  /** Images for ids below 0. */
  readonly images: readonly ImageFile[];
  readonly settings: SamplingSettings;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** @throws AppError `sample-refused`, `prompt-too-long`, `tinker-*` */
export async function drawTurn(
  sampler: SamplingClient,
  reader: TurnReader,
  { context, images, settings, seed, signal }: TurnRequest,
): Promise<ModelTurn> {
  const { maxTokens, temperature, topK, topP } = settings;
  const request = {
    prompt: context,
    images,
    maxTokens,
    temperature,
    topK,
    topP,
    seed,
    stop: stopsOf(reader.chat.renderer),
  };
  const sampled = await sampleTurn(sampler, request, { signal });
  return readTurn(reader, sampled, context, seed);
}

/** Parses a turn from its ids. */
export function readTurn(
  { chat, tools, terminalTool }: TurnReader,
  sampled: SampledTurn,
  context: readonly number[],
  seed: number | null,
): ModelTurn {
  const tokens = Array.from(sampled.tokens);
  const logprobs = sampled.logprobs && Array.from(sampled.logprobs);
  const parsed = chat.renderer.parse(tokens, tools);
  const calls = callsOf(parsed, terminalTool);
  const text = chat.tokenizer.decode(tokens);
  return { ...sampled, tokens, logprobs, parsed, calls, text, context, seed };
}
