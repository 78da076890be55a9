/** Marks that do not occur in a text, to find positions again after the text has changed. */

/**
 * `before`, the smallest number from 0, and `after`, such that the whole does not occur in `text`. Takes linear time, and the
 * mark stays short whatever the text. `before` must not overlap with itself.
 */
export function unusedMark(before: string, after: string, text: string): string {
  const used = new Set(text.split(before).map((part) => part.split(after, 1)[0]));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return before + number + after;
}

/** Private-use characters (U+E000 to U+F8FF) that occur in none of the texts. */
export function* unusedCharacters(texts: readonly string[]): Generator<string, undefined> {
  const used = new Set(texts.flatMap((text) => text.match(/[\uE000-\uF8FF]/g) ?? []));
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) yield character;
  }
}
