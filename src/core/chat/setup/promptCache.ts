/** Caches first prompts: all rollouts of a group share one, and rendering it is the most expensive part of a rollout. */

import { ExactNumber } from "../../util/exactJson.ts";
import type { Renderer } from "../renderer.ts";

type RenderInitial = Renderer["renderInitial"];

/** Limit on cached prompts and tool declarations together; the least recently used entry is dropped first. */
const MAX_CHARS = 1_000_000;

/** Returns the same ids as `render`, computed once per prompt while it stays in the cache. */
export function cachePrompts(render: RenderInitial, maxChars = MAX_CHARS): RenderInitial {
  const remembered = new Map<string, readonly number[]>();
  let chars = 0;
  const forget = (key: string): void => {
    if (remembered.delete(key)) chars -= key.length;
  };
  return (messages, tools) => {
    const key = keyOf([messages, tools]);
    const known = remembered.get(key);
    const ids = known ?? render(messages, tools);
    // Re-insert at the end, so that the first entry is the least recently used.
    forget(key);
    remembered.set(key, ids);
    chars += key.length;
    for (const oldest of remembered.keys()) {
      if (chars <= maxChars) break;
      forget(oldest);
    }
    return ids;
  };
}

/** JSON plus the positions of exact numbers, which JSON would render like an object with the same text. */
function keyOf(conversation: unknown): string {
  const exact: number[] = [];
  let visited = 0;
  const json = JSON.stringify(conversation, (_, value: unknown) => {
    visited += 1;
    if (value instanceof ExactNumber) exact.push(visited);
    return value;
  });
  return `${json}${exact.join()}`;
}
