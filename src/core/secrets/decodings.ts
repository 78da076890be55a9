/** The texts that another one holds in encoded form: JSON, URLs, HTML, base64, hexadecimal digits. */

import type { Decoded } from "./decoded.ts";
import { DIGITS_OF_ASCII, DIGITS_OF_TEXT } from "./digitDecodings.ts";
import { ESCAPES } from "./escapeDecodings.ts";

/** Any text without this holds nothing encoded. */
const MAY_HOLD_MORE = /[\\%&]|[\w+/-]{8}/;

/**
 * Everything that `text` may be read as, once decoded; what is encoded twice is found in what was decoded. Digits are read only
 * where they may stand for six characters or more, of ASCII when that is all that is looked for, which is much faster.
 */
export function* decodings(text: string, isAscii: boolean): Generator<Decoded> {
  if (!MAY_HOLD_MORE.test(text)) return;
  for (const decoding of ESCAPES) yield* decoding(text);
  for (const decoding of isAscii ? DIGITS_OF_ASCII : DIGITS_OF_TEXT) yield* decoding(text);
}
