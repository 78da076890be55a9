/** Searches for a text in time linear in both lengths. */

/** For shorter texts, the built-in search takes at most this many steps per character and is faster. */
const SHORT = 64;

/**
 * Like `text.indexOf(wanted, from)`, whose time may grow with the product of both lengths, as when searching `aaa…` for
 * `aa…b…aa`. Knuth, Morris and Pratt, Fast pattern matching in strings, 1977.
 */
export function indexOfText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= SHORT) return text.indexOf(wanted, from);
  // For each prefix of `wanted`, the length of its longest proper prefix that is also a suffix.
  const borders = new Int32Array(wanted.length);
  const extend = (matched: number, code: number): number => {
    let length = matched;
    while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    return wanted.charCodeAt(length) === code ? length + 1 : length;
  };
  for (let at = 1; at < wanted.length; at += 1) {
    borders[at] = extend(borders[at - 1] ?? 0, wanted.charCodeAt(at));
  }
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    matched = extend(matched, text.charCodeAt(at));
    if (matched === wanted.length) return at + 1 - matched;
  }
  return -1;
}
