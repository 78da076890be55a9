/** Scans `{}`, `[]` and JSON that may be unclosed, to find the keys and values. */

import type { KeyPath } from "../../source/keyPath.ts";
import type { ScannedKey } from "./scanResult.ts";
import { quotedEnd, type ScanResult, unquoted } from "./scanResult.ts";

type State = "key" | "afterKey" | "value" | "done";

interface Frame {
  readonly isMap: boolean;
  readonly path: KeyPath;
  state: State;
  key: string;
  index: number;
  mark: ScannedKey | null;
}

const MAX_DEPTH = 60;

export class FlowScanner {
  readonly #result: ScanResult;
  readonly #indent: number;
  readonly #isJson: boolean;
  readonly #frames: Frame[] = [];
  #basePath: KeyPath = [];
  #lineStart = 0;
  #lineEnd = -1;

  /** `indent` is that of the enclosing block: a line indented no further ends the collection even if it is unclosed. */
  constructor(result: ScanResult, indent: number, isJson: boolean) {
    this.#result = result;
    this.#indent = indent;
    this.#isJson = isJson;
  }

  /** Scans from `start` the value of `path` and returns the offset after it. */
  scan(start: number, path: KeyPath): number {
    this.#basePath = path;
    const { text } = this.#result;
    let at = start;
    while (at < text.length) {
      const next = this.#step(at);
      if (next === null) return at;
      at = next;
      if (this.#frames.length === 0 && !this.#isJson) return at;
      if (this.#frames.length > MAX_DEPTH) return text.length;
    }
    this.#settleGap(text.length);
    return text.length;
  }

  /** Scans one token at `at` and returns the offset after it; null when the collection ends before it. */
  #step(at: number): number | null {
    const { text } = this.#result;
    const character = text[at] ?? "";
    if (character === "\n" && this.#endsAfter(at)) {
      this.#settleGap(at);
      return null;
    }
    if (/\s/.test(character)) {
      this.#settleGap(at);
      return at + 1;
    }
    if (character === "#" && !this.#isJson && /\s/.test(text[at - 1] ?? " "))
      return this.#comment(at);
    if ("{}[],:".includes(character)) {
      if (character !== ":" || this.#isColonWanted()) return this.#punctuation(at, character);
    }
    return this.#word(at);
  }

  #comment(at: number): number {
    const end = this.#result.text.indexOf("\n", at);
    const stop = end < 0 ? this.#result.text.length : end;
    this.#result.setTarget({ start: at + 1, end: stop }, null);
    this.#settleGap(at);
    return stop;
  }

  #isColonWanted(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.isMap === true && (frame.state === "afterKey" || frame.state === "key");
  }

  #punctuation(at: number, character: string): number {
    this.#settleGap(at);
    const frame = this.#frames.at(-1);
    if (character === "{" || character === "[") this.#open(character === "{");
    else if (character === "}" || character === "]") this.#close();
    else if (frame !== undefined && character === ":") frame.state = "value";
    else if (frame !== undefined) this.#nextItem(frame);
    return at + 1;
  }

  #open(isMap: boolean): void {
    const path = this.#valuePath();
    this.#frames.push({
      isMap,
      path,
      state: isMap ? "key" : "value",
      key: "",
      index: 0,
      mark: null,
    });
  }

  #close(): void {
    this.#frames.pop();
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.state = "done";
  }

  #nextItem(frame: Frame): void {
    frame.index += 1;
    frame.mark = null;
    frame.key = "";
    frame.state = frame.isMap ? "key" : "value";
  }

  #valuePath(): KeyPath {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#basePath;
    return [...frame.path, frame.isMap ? frame.key : String(frame.index)];
  }

  #word(at: number): number {
    const { text } = this.#result;
    const end = this.#wordEnd(at);
    const span = { start: at, end };
    const frame = this.#frames.at(-1);
    if (frame === undefined) return Math.max(end, at + 1);
    if (frame.state === "key") {
      this.#result.setTarget(span, { kind: "key", path: frame.path, isFlow: true });
      frame.key = unquoted(text.slice(at, end));
      frame.mark = this.#result.addKey(frame.path, frame.key, span);
      frame.state = "afterKey";
    } else if (frame.state === "value") {
      this.#result.setTarget(span, { kind: "value", path: this.#valuePath(), isFlow: true });
      if (frame.mark !== null) frame.mark.value = unquoted(text.slice(at, end));
      frame.state = "done";
    } else {
      this.#result.setTarget(span, null);
    }
    return end;
  }

  #wordEnd(at: number): number {
    const { text } = this.#result;
    const limit = this.#lineEndFrom(at);
    if (text[at] === '"' || text[at] === "'") return quotedEnd(text, at, limit);
    let end = at + 1;
    while (end < limit && !this.#endsPlain(end)) end += 1;
    while (end > at + 1 && /\s/.test(text[end - 1] ?? "")) end -= 1;
    return end;
  }

  /** The end of the line at `at`, cached because a collection may have all its words on one line. */
  #lineEndFrom(at: number): number {
    if (at < this.#lineStart || at > this.#lineEnd) {
      const end = this.#result.text.indexOf("\n", at);
      this.#lineStart = at;
      this.#lineEnd = end < 0 ? this.#result.text.length : end;
    }
    return this.#lineEnd;
  }

  #endsPlain(at: number): boolean {
    const { text } = this.#result;
    const character = text[at] ?? "";
    if (",[]{}".includes(character)) return true;
    if (character === "#") return /\s/.test(text[at - 1] ?? "");
    return character === ":" && /^[\s,[\]{}]?$/.test(text[at + 1] ?? "");
  }

  #settleGap(at: number): void {
    const span = { start: at, end: at };
    const frame = this.#frames.at(-1);
    if (frame?.state === "key") {
      this.#result.setTarget(span, { kind: "key", path: frame.path, isFlow: true });
    } else if (frame?.state === "value") {
      this.#result.setTarget(span, { kind: "value", path: this.#valuePath(), isFlow: true });
    } else if (frame !== undefined) {
      this.#result.setTarget(span, null);
    }
  }

  /** True when the line after the break at `at` belongs to the enclosing block. */
  #endsAfter(at: number): boolean {
    if (this.#isJson) return false;
    const rest = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]*)(\S?)/.exec(
      this.#result.text.slice(at + 1, at + 2000),
    );
    if (rest === null) return false;
    const [, indent = "", first = ""] = rest;
    return indent.length <= this.#indent && first !== "" && !"}],".includes(first);
  }
}
