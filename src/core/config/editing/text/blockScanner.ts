/** Scans block YAML line by line using only indentation, so that a half-written line affects nothing else. */

import type { KeyPath } from "../../source/keyPath.ts";
import { FlowScanner } from "./flowScanner.ts";
import { quotedEnd, type ScannedKey, type ScanResult, unquoted } from "./scanResult.ts";

interface Frame {
  readonly indent: number;
  readonly isMap: boolean;
  /** Path of the mapping or list itself. */
  readonly path: KeyPath;
  /** Key or index of the latest entry. */
  key: string;
  /** True when that entry has a value on its own line. */
  hasValue: boolean;
}

const MAX_DEPTH = 60;

export class BlockScanner {
  readonly #result: ScanResult;
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(result: ScanResult) {
    this.#result = result;
  }

  scan(): void {
    const { text } = this.#result;
    while (this.#at < text.length && this.#frames.length <= MAX_DEPTH) this.#line();
    this.#setBlankTarget(text.lastIndexOf("\n") + 1, text.length);
  }

  #line(): void {
    const { text } = this.#result;
    const start = this.#at;
    const end = this.#lineEnd(start);
    const content = start + (/^[ \t]*/.exec(text.slice(start, end))?.[0].length ?? 0);
    this.#at = end + 1;
    if (content === end || text[content] === "\r") {
      this.#setBlankTarget(start, content);
    } else if (text[content] === "#") {
      this.#setBlankTarget(start, content);
      this.#result.setTarget({ start: content + 1, end }, null);
    } else if (/^(?:---|\.\.\.|%)/.test(text.slice(start, start + 3))) {
      this.#frames.length = 0;
    } else {
      this.#setBlankTarget(start, content - 1);
      this.#entry(content, content - start, end);
    }
  }

  /** Scans the content that starts at offset `at`, in column `column`, up to the end of the line. */
  #entry(at: number, column: number, end: number): void {
    const { text } = this.#result;
    if (text[at] === "-" && /^(?:\s|$)/.test(text.slice(at + 1, at + 2))) {
      this.#item(at, column, end);
      return;
    }
    const colon = this.#colonOf(at, end);
    if (colon === null) this.#word(at, column, end);
    else this.#pair(at, column, colon, end);
  }

  #item(at: number, column: number, end: number): void {
    const { text } = this.#result;
    while (this.#isClosedBy(column, false)) this.#frames.pop();
    const top = this.#frames.at(-1);
    if (top !== undefined && !top.isMap && top.indent === column) {
      top.key = String(Number(top.key) + 1);
    } else {
      this.#push({
        indent: column,
        isMap: false,
        path: this.#valuePath(),
        key: "0",
        hasValue: false,
      });
    }
    if (this.#frames.length > MAX_DEPTH) return;
    const gap = /^[ \t]*/.exec(text.slice(at + 1, end))?.[0].length ?? 0;
    const content = at + 1 + gap;
    const path = this.#valuePath();
    if (content >= end || text[content] === "#") {
      this.#result.setTarget(
        { start: at + 1, end: content },
        { kind: "value", path, isFlow: false },
        {
          start: this.#result.offset,
          end: this.#result.offset,
        },
      );
      return;
    }
    this.#entry(content, column + 1 + gap, end);
  }

  #pair(at: number, column: number, colon: number, end: number): void {
    const { text } = this.#result;
    while (this.#isClosedBy(column, true)) this.#frames.pop();
    let frame = this.#frames.at(-1);
    if (frame === undefined || !frame.isMap || frame.indent !== column) {
      frame = { indent: column, isMap: true, path: this.#valuePath(), key: "", hasValue: false };
      this.#push(frame);
    }
    const span = { start: at, end: at + text.slice(at, colon).trimEnd().length };
    frame.key = unquoted(text.slice(span.start, span.end));
    frame.hasValue = false;
    this.#result.setTarget(span, { kind: "key", path: frame.path, isFlow: false });
    const scannedKey = this.#result.addKey(frame.path, frame.key, span);
    const gap = /^[ \t]*(?:[&!]\S*[ \t]*)*/.exec(text.slice(colon + 1, end))?.[0].length ?? 0;
    this.#value(colon + 1, colon + 1 + gap, end, frame, scannedKey);
  }

  /** Scans a pair's value; `gap` is the start of the white space before it. */
  #value(gap: number, at: number, end: number, frame: Frame, scannedKey: ScannedKey | null): void {
    const { text, offset } = this.#result;
    const target = { kind: "value", path: this.#valuePath(), isFlow: false } as const;
    const character = text[at] ?? "";
    if (at >= end || character === "#" || character === "\r") {
      this.#result.setTarget({ start: gap, end: at }, target, { start: offset, end: offset });
      this.#result.setTarget({ start: at, end }, null);
      return;
    }
    frame.hasValue = true;
    if (gap < at) this.#result.setTarget({ start: gap, end: at - 1 }, null);
    if (character === "{" || character === "[") {
      this.#at = this.#lineAfter(
        new FlowScanner(this.#result, frame.indent, false).scan(at, target.path),
      );
    } else if (character === "|" || character === ">") {
      this.#at = this.#blockText(at, end, frame.indent);
    } else {
      const stop = this.#scalarEnd(at, end, frame.indent);
      this.#result.setTarget({ start: at, end: stop }, target);
      if (scannedKey !== null) scannedKey.value = unquoted(text.slice(at, stop));
      const lineEnd = this.#lineEnd(stop);
      this.#result.setTarget({ start: stop, end: lineEnd }, null);
      this.#at = lineEnd + 1;
    }
  }

  /** A line without a colon: a key being typed, a collection on its own line, or the continuation of a scalar. */
  #word(at: number, column: number, end: number): void {
    const { text } = this.#result;
    const { path, owner } = this.#containerAt(column);
    const character = text[at] ?? "";
    if (character === "{" || character === "[") {
      const indent = Math.min(column, owner?.indent ?? -1);
      const scanner = new FlowScanner(this.#result, indent, false);
      this.#at = this.#lineAfter(scanner.scan(at, path));
      return;
    }
    const stop = this.#scalarEnd(at, end, -1);
    const isText = owner?.hasValue === true;
    const target = isText ? null : ({ kind: "key", path, isFlow: false } as const);
    this.#result.setTarget({ start: at, end: stop }, target);
    this.#result.setTarget({ start: at, end }, null);
  }

  #setBlankTarget(start: number, end: number): void {
    const { offset } = this.#result;
    if (offset < start || offset > end) return;
    const { path, owner } = this.#containerAt(offset - start);
    const isText = owner?.hasValue === true;
    this.#result.setTarget({ start, end }, isText ? null : { kind: "key", path, isFlow: false }, {
      start: offset,
      end: offset,
    });
  }

  /** The mapping that a key at `column` would belong to, and the frame whose value that mapping would be. */
  #containerAt(column: number): {
    readonly path: KeyPath;
    readonly owner: Frame | null;
  } {
    const sibling = this.#frames.findLast((frame) => frame.isMap && frame.indent === column);
    if (sibling !== undefined) return { path: sibling.path, owner: null };
    const owner = this.#frames.findLast((frame) => frame.indent < column);
    if (owner === undefined) return { path: [], owner: null };
    return { path: [...owner.path, owner.key], owner };
  }

  /** True when a line at `column` ends the innermost frame. */
  #isClosedBy(column: number, isPair: boolean): boolean {
    const top = this.#frames.at(-1);
    if (top === undefined) return false;
    // A list may be at the same indentation as its key.
    return top.indent > column || (isPair && !top.isMap && top.indent === column);
  }

  #valuePath(): KeyPath {
    const top = this.#frames.at(-1);
    return top === undefined ? [] : [...top.path, top.key];
  }

  #push(frame: Frame): void {
    this.#frames.push(frame);
  }

  /** The colon that ends the key at `at`, or null if the line has none. */
  #colonOf(at: number, end: number): number | null {
    const { text } = this.#result;
    const quote = text[at];
    const from = quote === '"' || quote === "'" ? quotedEnd(text, at, end) : at;
    if ("{[|>&*!#".includes(quote ?? "")) return null;
    for (let colon = from; colon < end; colon++) {
      if (text[colon] === "#" && /\s/.test(text[colon - 1] ?? "")) return null;
      if (text[colon] === ":" && /^(?:\s|$)/.test(text.slice(colon + 1, colon + 2))) return colon;
    }
    return null;
  }

  /** The end of a plain or quoted scalar; a quoted one may continue on lines indented more than `indent`. */
  #scalarEnd(at: number, end: number, indent: number): number {
    const { text } = this.#result;
    if (text[at] === '"' || text[at] === "'") {
      const close = quotedEnd(text, at, end);
      const isClosed =
        close < end || (close === end && close > at + 1 && text[close - 1] === text[at]);
      return isClosed ? close : this.#quotedOverLines(at, end, indent);
    }
    const comment = /\s#/.exec(text.slice(at, end));
    const stop = comment === null ? end : at + comment.index;
    return at + text.slice(at, stop).trimEnd().length;
  }

  #quotedOverLines(at: number, end: number, indent: number): number {
    if (indent < 0) return end;
    const { text } = this.#result;
    const limit = this.#blockEnd(end, indent);
    const close = quotedEnd(text, at, limit);
    return close < limit || text[close - 1] === text[at] ? close : end;
  }

  #blockText(at: number, end: number, indent: number): number {
    const stop = this.#blockEnd(end, indent);
    this.#result.setTarget({ start: at, end: stop }, null);
    return stop + 1;
  }

  /** The end of the last following line that is blank or indented more than `indent`. */
  #blockEnd(end: number, indent: number): number {
    const { text } = this.#result;
    let stop = end;
    while (stop < text.length) {
      const next = this.#lineEnd(stop + 1);
      const line = text.slice(stop + 1, next);
      const lead = line.length - line.trimStart().length;
      if (line.trim() !== "" && lead <= indent) return stop;
      if (next <= stop) return text.length;
      stop = next;
    }
    return stop;
  }

  #lineEnd(at: number): number {
    const end = this.#result.text.indexOf("\n", at);
    return end < 0 ? this.#result.text.length : end;
  }

  #lineAfter(at: number): number {
    return this.#lineEnd(at) + 1;
  }
}
