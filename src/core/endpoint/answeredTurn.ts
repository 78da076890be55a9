/** A turn of the model as its caller receives it. */

import { toolCallError } from "../chat/parsing/callFormats.ts";
import type { ParsedTurn, ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import type { Tokenizer } from "../chat/tokenizer.ts";
import { NO_CALL_NUDGE } from "../rollout/feedback.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import { saidText } from "../rollout/tokenStreams.ts";
import type { EndpointRequest } from "./endpointRequest.ts";

export interface AnsweredCall extends Pick<ToolCall, "name" | "args"> {
  /** Unique among the caller's calls. */
  readonly id: string;
}

export interface AnsweredTurn {
  readonly reasoning: string | null;
  /** Number of tokens in the reasoning. */
  readonly reasoningTokens: number;
  /** Text outside the reasoning, including calls that could not be parsed or whose tool was not declared. */
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  readonly end: "turn" | "calls" | "length" | "stop_text";
  /** The caller's stop text that ended the turn; null if none did. */
  readonly stopText: string | null;
}

export interface StoppedTurn extends SampledTurn {
  readonly stopText: string | null;
}

/**
 * Cuts a turn after the token that completes a stop text. Later tokens are neither returned nor trained, and the conversation continues
 * from the cut.
 */
export function cutAtStop(
  tokenizer: Pick<Tokenizer, "decode">,
  sampled: SampledTurn,
  stopTexts: readonly string[],
): StoppedTurn {
  const { tokens, logprobs } = sampled;
  if (stopTexts.length === 0) return { ...sampled, stopText: null };
  const all = Array.from(tokens);
  const stopIn = (length: number): string | undefined => {
    const text = tokenizer.decode(all.slice(0, length));
    return stopTexts.find((stop) => text.includes(stop));
  };
  if (stopIn(all.length) === undefined) return { ...sampled, stopText: null };
  // Binary search: once a prefix contains a stop text, every longer one does.
  let [low, high] = [1, all.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (stopIn(middle) === undefined) low = middle + 1;
    else high = middle;
  }
  return {
    ...sampled,
    tokens: all.slice(0, low),
    logprobs: logprobs === null ? null : logprobs.slice(0, low),
    stopReason: "stop",
    stopText: stopIn(low) ?? null,
  };
}

/** Moves calls of undeclared tools to the turn's errors, because clients cannot handle them. */
export function withDeclaredCalls(
  parsed: ParsedTurn,
  tools: readonly ToolDeclaration[],
): ParsedTurn {
  const names = new Set(tools.map(({ function: { name } }) => name));
  const { calls, errors } = parsed;
  if (calls.every(({ name }) => names.has(name))) return parsed;
  const declaredBefore = (place: number): number =>
    calls.slice(0, place).filter(({ name }) => names.has(name)).length;
  const others = calls.flatMap(({ name, id, raw }, place) => {
    const error = toolCallError("undeclared", raw, NO_CALL_NUDGE);
    return names.has(name) ? [] : [{ place, error: id === undefined ? error : { ...error, id } }];
  });
  const placed = errors.map((error) => ({ place: error.callsBefore ?? calls.length, error }));
  return {
    ...parsed,
    calls: calls.filter(({ name }) => names.has(name)),
    errors: [...placed, ...others]
      .sort((a, b) => a.place - b.place)
      .map(({ place, error }) => ({ ...error, callsBefore: declaredBefore(place) })),
  };
}

/** `newId` creates a call id. */
export function answeredTurn(
  parsed: ParsedTurn,
  { stopReason, stopText }: StoppedTurn,
  { oneCall }: Pick<EndpointRequest, "oneCall">,
  newId: () => string,
): AnsweredTurn {
  const { reasoning, thinkingTokens: reasoningTokens } = parsed;
  const calls = oneCall ? parsed.calls.slice(0, 1) : parsed.calls;
  const said = saidText(parsed);
  const cut = stopText === null ? -1 : said.indexOf(stopText);
  const isCutOff = stopReason === "length" && !parsed.ended;
  return {
    reasoning,
    reasoningTokens,
    text: cut < 0 ? said : said.slice(0, cut),
    calls: calls.map(({ name, args }) => ({ id: newId(), name, args })),
    end: endOf(calls.length > 0, isCutOff, stopText !== null),
    stopText,
  };
}

function endOf(hasCalls: boolean, isCutOff: boolean, isStopped: boolean): AnsweredTurn["end"] {
  if (isCutOff) return "length";
  if (hasCalls) return "calls";
  return isStopped ? "stop_text" : "turn";
}
