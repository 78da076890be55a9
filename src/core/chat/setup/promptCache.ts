/** Remembers first prompts: all rollouts of a group begin with the same one, and rendering it is the dearest part of a rollout. */

import { ExactNumber } from "../../util/exactJson.ts";
import type { Renderer } from "../renderer.ts";

type RenderInitial = Renderer["renderInitial"];

/** Bounds the cached prompts and declarations together; the least recently used is dropped first. */
const MAX_CHARS = 1_000_000;

/** The same ids as `render` gives, computed once for prompts that follow one another closely. */
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
    // Put at the end again, so that the first is the one that was not used for the longest time.
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

/** As JSON, with the positions of exact numbers: one would look like an object that holds its text. */
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
