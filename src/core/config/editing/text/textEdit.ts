/** Text changes as editors apply and undo them. */

import type { Span } from "../../source/span.ts";

/** Replaces `span` of the original text with `text`. */
export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let done = 0;
  for (const { span, text: added } of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    result += text.slice(done, span.start) + added;
    done = span.end;
  }
  return result + text.slice(done);
}

/** True when any two edits overlap. */
export function overlap(edits: readonly TextEdit[]): boolean {
  const sorted = edits.toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  return sorted.some((edit, index) => edit.span.start < (sorted[index - 1]?.span.end ?? 0));
}

/** A single edit that turns `before` into `after`, without their common start and end. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (
    same < shorter - start &&
    before[before.length - 1 - same] === after[after.length - 1 - same]
  ) {
    same += 1;
  }
  return {
    span: { start, end: before.length - same },
    text: after.slice(start, after.length - same),
  };
}
