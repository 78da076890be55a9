/** Results in the order of their calls, because many formats match the n-th result with the n-th call. */

import { ColumnError } from "./openaiMessages.ts";
import type { AssistantMessage, InitialMessage, ToolMessage } from "./renderer.ts";

/**
 * As {@link inCallOrder}, for messages where each call has one result. Only the last message can have calls without results. `columnOf`
 * locates a message. @throws ColumnError
 */
export function withResultsInOrder(
  messages: readonly InitialMessage[],
  columnOf: (index: number) => string,
): readonly InitialMessage[] {
  let open = false;
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool" && !open) {
      throw new ColumnError(columnOf(i), "this result has no matching call");
    }
    open = message.role === "assistant" || message.role === "tool";
    if (message.role !== "assistant" || i === messages.length - 1) continue;
    requireResults(message, resultsFrom(messages, i + 1), (result) => columnOf(i + 1 + result));
  }
  return inCallOrder(messages);
}

function resultsFrom(messages: readonly InitialMessage[], start: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let i = start; ; i += 1) {
    const message = messages[i];
    if (message?.role !== "tool") return results;
    results.push(message);
  }
}

/** `columnOf` locates a result; -1 is the message of the calls. */
function requireResults(
  { calls }: AssistantMessage,
  results: readonly ToolMessage[],
  columnOf: (result: number) => string,
): void {
  const ids = new Set(calls.map(({ id }) => id));
  if (ids.size < calls.length) {
    throw new ColumnError(columnOf(-1), "two calls have the same id");
  }
  const found = new Set<string>();
  for (const [i, { callId }] of results.entries()) {
    if (!ids.has(callId)) throw new ColumnError(columnOf(i), "no call before it has this id");
    if (found.has(callId)) throw new ColumnError(columnOf(i), "the call has two results");
    found.add(callId);
  }
  const missing = calls.find(({ id }) => !found.has(id));
  if (missing === undefined) return;
  const reason = `the result of the call ${missing.id} must follow the message that makes it`;
  throw new ColumnError(columnOf(-1), reason);
}

/** Sorts each run of consecutive results into the order of the calls they answer. */
export function inCallOrder(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  const positions = new Map<string, number>();
  const ordered: InitialMessage[] = [];
  let results: InitialMessage[] = [];
  const flush = (): void => {
    const positionOf = (message: InitialMessage): number =>
      message.role === "tool" ? (positions.get(message.callId) ?? positions.size) : 0;
    ordered.push(...results.sort((a, b) => positionOf(a) - positionOf(b)));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flush();
    ordered.push(message);
    if (message.role !== "assistant") continue;
    positions.clear();
    for (const { id } of message.calls) if (!positions.has(id)) positions.set(id, positions.size);
  }
  flush();
  return ordered;
}
