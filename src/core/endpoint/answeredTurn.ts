/** A turn of the model as its caller gets it. */

import { toolCallError } from "../chat/parsing/toolCalls.ts";
import type { ParsedTurn, ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import type { Tokenizer } from "../chat/tokenizer.ts";
import { NO_CALL_NUDGE } from "../rollout/feedback.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import type { EndpointRequest } from "./endpointRequest.ts";

export interface AnsweredCall extends Pick<ToolCall, "name" | "args"> {
  /** No other call of the caller has it. */
  readonly id: string;
}

export interface AnsweredTurn {
  readonly reasoning: string | null;
  /** Tokens within it. */
  readonly reasoningTokens: number;
  /** What the model says outside of its reasoning; calls that could not be read, or of tools that were not declared, are text. */
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  readonly end: "turn" | "calls" | "length" | "stop_text";
  /** The one of the caller's stop texts that ended the turn; null = none did. */
  readonly stopText: string | null;
}

export interface StoppedTurn extends SampledTurn {
  readonly stopText: string | null;
}

/**
 * Cuts a turn behind the token that completes a stop text: those after it were sampled, but are neither answered nor trained, and the
 * conversation continues from the cut.
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
  // A longer beginning has whatever a shorter one has.
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

/** The turn with its calls of other tools than `tools` among those that cannot be read: no client knows what to do with them. */
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

/** `newId` makes the id of a call. */
export function answeredTurn(
  parsed: ParsedTurn,
  { stopReason, stopText }: StoppedTurn,
  { oneCall }: Pick<EndpointRequest, "oneCall">,
  newId: () => string,
): AnsweredTurn {
  const { reasoning, thinkingTokens: reasoningTokens, content, errors } = parsed;
  const calls = oneCall ? parsed.calls.slice(0, 1) : parsed.calls;
  const said = [content, ...errors.map(({ raw }) => raw)].filter((text) => text !== "").join("\n");
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
