/** What is being typed at a position of a possibly incomplete text: a key of which mapping, or the value of which key. */

import { isSame } from "../../fields/sameValue.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { contains, type Span } from "../../source/span.ts";
import type { Language } from "../../source/yamlSource.ts";
import { BlockScanner } from "./blockScanner.ts";
import { FlowScanner } from "./flowScanner.ts";
import { type CursorTarget, type ScannedKey, ScanResult } from "./scanResult.ts";

export interface Cursor {
  readonly kind: "key" | "value";
  /** Path of the mapping that contains the key, or of the key that the value belongs to. List items count as keys `0`, `1` … */
  readonly path: KeyPath;
  /** The word at the cursor including quotes; empty if none has been started. */
  readonly replace: Span;
  /** The part of the word before the cursor, without quotes. */
  readonly prefix: string;
  readonly quote: '"' | "'" | null;
  /** True inside of `{}` or `[]`. */
  readonly isFlow: boolean;
  /** True when a colon follows the word. */
  readonly hasColon: boolean;
  /** True right after a colon, where YAML requires a space first. */
  readonly needsSpace: boolean;
  /** Keys of the same mapping, except the one at the cursor. */
  readonly present: readonly string[];
  /** All keys of the text, with scalar values that are on the same line. */
  readonly keys: readonly ScannedKey[];
}

/** Longer texts get no completions. */
const MAX_CHARACTERS = 256 * 1024;

/** Null where no key or value can be: in comments, in block scalars, after a value. Never throws. */
export function cursorAt(text: string, offset: number, language: Language): Cursor | null {
  if (text.length > MAX_CHARACTERS || offset < 0 || offset > text.length) return null;
  const result = new ScanResult(text, offset);
  if (language === "json") new FlowScanner(result, -1, true).scan(0, []);
  else new BlockScanner(result).scan();
  const { target, keys } = result;
  return target === null ? null : cursorOf(text, offset, target, keys, language);
}

function cursorOf(
  text: string,
  offset: number,
  target: CursorTarget,
  keys: readonly ScannedKey[],
  language: Language,
): Cursor {
  const { start, end } = target.word;
  const first = text[start];
  const quote = end > start && (first === '"' || first === "'") ? first : null;
  const prefix = text.slice(start + (quote === null ? 0 : 1), Math.max(start, offset));
  const here = keys.filter(({ path }) => isSame(path, target.path));
  return {
    kind: target.kind,
    path: target.path,
    replace: target.word,
    prefix: quote !== null && prefix.endsWith(quote) ? prefix.slice(0, -1) : prefix,
    quote,
    isFlow: target.isFlow,
    hasColon: /^[ \t]*:/.test(text.slice(end, end + 80)),
    needsSpace: language === "yaml" && text[start - 1] === ":",
    present:
      target.kind === "key"
        ? here.filter(({ span }) => !contains(span, offset)).map(({ key }) => key)
        : [],
    keys,
  };
}
