/** The texts that another one holds in encoded form: JSON, URLs, HTML, base64, hexadecimal digits. */

import type { Alphabet } from "./alphabet.ts";
import type { Decoded, Decoding } from "./decoded.ts";
import { digitDecoding } from "./digitDecodings.ts";
import { escapeDecoding } from "./escapeDecodings.ts";

/**
 * Everything that a text may be read as, once decoded, as far as it can hold a secret of that alphabet; what is encoded twice is
 * found in what was decoded.
 */
export function createDecoding(alphabet: Alphabet): Decoding {
  const [escapes, digits] = [escapeDecoding(alphabet), digitDecoding(alphabet)];
  return function* (text): Generator<Decoded> {
    yield* escapes(text);
    yield* digits(text);
  };
}
