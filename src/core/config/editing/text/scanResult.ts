/** Result of scanning a half-written text: its keys, and what the cursor is on. */

import type { KeyPath } from "../../source/keyPath.ts";
import type { Span } from "../../source/span.ts";

export interface ScannedKey {
  /** Path of the mapping that contains the key. */
  readonly path: KeyPath;
  readonly key: string;
  readonly span: Span;
  /** The unquoted scalar after the key on the same line; null without one. */
  value: string | null;
}

export interface CursorTarget {
  readonly kind: "key" | "value";
  readonly path: KeyPath;
  readonly word: Span;
  readonly isFlow: boolean;
}

/** Collects keys and the first key or value that contains the cursor. */
export class ScanResult {
  readonly text: string;
  readonly offset: number;
  readonly keys: ScannedKey[] = [];
  #place: CursorTarget | null = null;
  #isSettled = false;

  constructor(text: string, offset: number) {
    this.text = text;
    this.offset = offset;
  }

  get target(): CursorTarget | null {
    return this.#place;
  }

  /** Sets the target if the cursor is in `span` and none is set yet; null means that no key or value can be written there. */
  setTarget(span: Span, place: Omit<CursorTarget, "word"> | null, word: Span = span): void {
    if (this.#isSettled || this.offset < span.start || this.offset > span.end) return;
    this.#isSettled = true;
    this.#place = place === null ? null : { ...place, word };
  }

  addKey(path: KeyPath, key: string, span: Span): ScannedKey {
    const mark: ScannedKey = { path, key, span, value: null };
    this.keys.push(mark);
    return mark;
  }
}

/** The offset after the quoted word that starts at `start`: after its closing quote, or `limit` if unclosed. */
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

/** A word without quotes; JSON escapes are decoded if they are valid. */
export function unquoted(word: string): string {
  if (word.startsWith("'")) return word.replace(/^'|'$/g, "").replaceAll("''", "'");
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word.replace(/^"|"$/g, "");
  }
}
