/** Recognizes a key that someone pastes into a list, which would show it. */

/** Keys of services are longer, and words that people type to filter a list are shorter. */
const LEAST_LENGTH = 12;

/** True for a long word that is in none of the texts of the list. */
export function mayBeKey(typed: string, texts: readonly string[]): boolean {
  const word = typed.trim().toLowerCase();
  if (word.length < LEAST_LENGTH || /\s/.test(word)) return false;
  return !texts.some((text) => text.toLowerCase().includes(word));
}
