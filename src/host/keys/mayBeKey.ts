/** Detects a key pasted into a list, which would display it. */

/** Keys are longer, and words typed to filter a list are shorter. */
const LEAST_LENGTH = 12;

/** True for a long word that occurs in none of the list's texts. */
export function mayBeKey(typed: string, texts: readonly string[]): boolean {
  const word = typed.trim().toLowerCase();
  if (word.length < LEAST_LENGTH || /\s/.test(word)) return false;
  return !texts.some((text) => text.toLowerCase().includes(word));
}
