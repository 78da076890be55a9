/** For formats whose results do not name their call: the n-th result answers the n-th call. */

import type { InitialMessage } from "../renderer.ts";

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
