/** What someone is writing at a target of a text that need not be whole: a key of which mapping, or a value of which key. */

import { isSame } from "../../fields/sameValue.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { contains, type Span } from "../../source/span.ts";
import type { Language } from "../../source/yamlSource.ts";
import { BlockScanner } from "./blockScanner.ts";
import { FlowScanner } from "./flowScanner.ts";
import { type CursorTarget, type ScannedKey, ScanResult } from "./scanResult.ts";

export interface Cursor {
  readonly kind: "key" | "value";
  /** The path of the mapping that contains the key, or of the key that has the value; list items count as keys `0`, `1` … */
  readonly path: KeyPath;
  /** The word at the cursor, quotes included; empty where none has begun. */
  readonly replace: Span;
  /** What is written of the word before the cursor, without quotes. */
  readonly prefix: string;
  readonly quote: '"' | "'" | null;
  /** True inside of `{}` or `[]`. */
  readonly isFlow: boolean;
  /** True when a colon follows the word. */
  readonly hasColon: boolean;
  /** True right behind a colon, where YAML needs a space first. */
  readonly needsSpace: boolean;
  /** Keys of the same mapping, that at the cursor left out. */
  readonly present: readonly string[];
  /** All keys of the text with their scalar values, as far as they stand on one line. */
  readonly keys: readonly ScannedKey[];
}

/** Longer texts are not completed. */
const MAX_CHARACTERS = 256 * 1024;

/** Null where nothing of the configuration can stand: in comments, in block text, behind a value. Never throws. */
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
