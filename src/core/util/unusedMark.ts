/** Marks that a text does not contain, for places that are found again in a changed text. */

/**
 * `before`, the smallest number from 0 on, and `after`, which together do not occur in `text`. Takes time linear in the text, and the
 * mark stays short whatever the text contains. `before` must not overlap with itself.
 */
export function unusedMark(before: string, after: string, text: string): string {
  const used = new Set(text.split(before).map((part) => part.split(after, 1)[0]));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return before + number + after;
}

/** Characters for private use (U+E000 to U+F8FF) that none of the texts contains, one after the other. */
export function* unusedCharacters(texts: readonly string[]): Generator<string, undefined> {
  const used = new Set(texts.flatMap((text) => text.match(/[\uE000-\uF8FF]/g) ?? []));
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) yield character;
  }
}
