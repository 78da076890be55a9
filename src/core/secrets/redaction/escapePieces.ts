/** The pieces of a text around escapes, each as long as what an escape may be a part of. */

import { type Alphabet, KIND } from "./alphabet.ts";
import type { Span } from "./decoded.ts";

const KINDS = Object.keys(KIND).length;
/** What {@link follow} says, as a table, since it is asked for each character. */
const FOLLOWING = Uint8Array.from({ length: KINDS * KINDS }, (_, index) =>
  follow(Math.floor(index / KINDS), index % KINDS),
);

/** In order and apart from each other. What is written with escapes and may hold a secret lies in one of them as a whole. */
export function escapePieces(text: string, { kinds, minLength }: Alphabet): readonly Span[] {
  if (!/[\\%&]/.test(text)) return [];
  const found: Span[] = [];
  let start = 0;
  let hasEscape = false;
  let state: number = KIND.none;
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)] ?? KIND.none;
    state = FOLLOWING[state * KINDS + kind] ?? KIND.none;
    if (state === KIND.none) {
      if (hasEscape && at - start >= minLength) found.push({ start, end: at });
      start = at + 1;
      hasEscape = false;
    } else if (kind === KIND.escapeStart) hasEscape = true;
  }
  if (hasEscape && text.length - start >= minLength) found.push({ start, end: text.length });
  return found;
}

/**
 * `part`, `escapeStart` where an escape may go on or end, `lineEnd` where an indent may; `none` where a character of that kind ends
 * the piece. An escape may stand for the end of a line.
 */
function follow(state: number, kind: number): number {
  switch (kind) {
    case KIND.escapePart:
      return state === KIND.escapeStart ? state : KIND.part;
    case KIND.quote:
      return state === KIND.escapeStart ? state : KIND.none;
    case KIND.blank:
      return state === KIND.escapeStart || state === KIND.lineEnd ? KIND.lineEnd : KIND.none;
    case KIND.blankPart:
      return state === KIND.escapeStart || state === KIND.lineEnd ? KIND.lineEnd : KIND.part;
    default:
      return kind;
  }
}
