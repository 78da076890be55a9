/** For formats whose results do not name their call: the n-th result answers the n-th call. */

import type { InitialMessage } from "../renderer.ts";

/** Sorts each run of consecutive results into the order of the calls they answer. */
export function inCallOrder(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  const places = new Map<string, number>();
  const ordered: InitialMessage[] = [];
  let results: InitialMessage[] = [];
  const flush = (): void => {
    const placeOf = (message: InitialMessage): number =>
      message.role === "tool" ? (places.get(message.callId) ?? places.size) : 0;
    ordered.push(...results.sort((a, b) => placeOf(a) - placeOf(b)));
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
    places.clear();
    for (const { id } of message.calls) if (!places.has(id)) places.set(id, places.size);
  }
  flush();
  return ordered;
}
