/** What the scanners of half-written texts find: the keys, and the place of the cursor. */

import type { Span } from "../../span.ts";

export interface KeyMark {
  /** Of the mapping in which the key stands. */
  readonly path: readonly string[];
  readonly key: string;
  readonly span: Span;
  /** The scalar behind the key on the same line, quotes off; null for none. */
  value: string | null;
}

export interface Place {
  readonly kind: "key" | "value";
  readonly path: readonly string[];
  readonly word: Span;
  readonly isFlow: boolean;
}

/** Collects marks and remembers the first place that the cursor is found at. */
export class ScanResult {
  readonly text: string;
  readonly offset: number;
  readonly marks: KeyMark[] = [];
  #place: Place | null = null;
  #isSettled = false;

  constructor(text: string, offset: number) {
    this.text = text;
    this.offset = offset;
  }

  get place(): Place | null {
    return this.#place;
  }

  /** Takes `place` when the cursor is in `span` and was not found before; null says that nothing can stand there. */
  settle(span: Span, place: Omit<Place, "word"> | null, word: Span = span): void {
    if (this.#isSettled || this.offset < span.start || this.offset > span.end) return;
    this.#isSettled = true;
    this.#place = place === null ? null : { ...place, word };
  }

  mark(path: readonly string[], key: string, span: Span): KeyMark {
    const mark: KeyMark = { path, key, span, value: null };
    this.marks.push(mark);
    return mark;
  }
}

/** The offset behind a quoted word that begins at `start`: behind its closing quote, or at `limit`. */
export function quotedEnd(text: string, start: number, limit: number): number {
  const quote = text[start];
  for (let at = start + 1; at < limit; at++) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return at + 1;
    }
  }
  return limit;
}

/** A word as it was meant: quotes off, escapes of JSON read where they are sound. */
export function unquoted(word: string): string {
  if (word.startsWith("'")) return word.replace(/^'|'$/g, "").replaceAll("''", "'");
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word.replace(/^"|"$/g, "");
  }
}
