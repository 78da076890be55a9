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
