/** One turn of the model in a conversation: how it is sampled, and what it says. */

import type { Chat } from "../chat/chat.ts";
import type { ParsedTurn, ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { TerminalTool } from "../openreward/types.ts";
import { type SampledTurn, sampleTurn, stopsOf } from "../rollout/sampleTurn.ts";
import { callsOf } from "../rollout/toolCalls.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";

export interface SamplingSettings {
  readonly temperature: number;
  readonly topP: number;
  /** -1 = off. */
  readonly topK: number;
  readonly maxTokens: number;
  /** The seed of each turn is derived from it. */
  readonly seed: number;
}

export interface ModelTurn extends SampledTurn {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[] | null;
  readonly parsed: ParsedTurn;
  /** What the turn calls, a final message to an environment that grades one included. */
  readonly calls: readonly ToolCall[];
  /** The sampled ids as text, with control tokens. */
  readonly text: string;
  /** Ids that were sent before it. */
  readonly context: readonly number[];
  /** That was sent with the request; null for a turn that was sampled elsewhere. */
  readonly seed: number | null;
}

/** What turns are read with. */
export interface TurnReader {
  readonly chat: Chat;
  /** What the model can call, for the parser. */
  readonly tools: readonly ToolDeclaration[];
  readonly terminalTool: TerminalTool | null;
}

export interface TurnRequest {
  readonly context: readonly number[];
  /** Those that ids below 0 stand for. */
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

/** Reads a turn from its ids. */
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
