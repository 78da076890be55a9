/** Texts in the form in which they are compared. */

/** Unicode NFKC, trimmed, runs of white space as one space, and lower case unless `isCaseSensitive`. */
export function normalize(text: string, isCaseSensitive: boolean): string {
  const plain = text.normalize("NFKC").trim().replace(/\s+/g, " ");
  return isCaseSensitive ? plain : plain.toLowerCase();
}

/** NFKC makes a text at most this much shorter, so a longer one cannot be equal; what is this short is quick to normalize. */
const MOST_SHRINKING = 4;
const SLACK = 64;

/** Whether both are the same once normalized. `expected` is short. */
export function isSameText(given: string, expected: string, isCaseSensitive: boolean): boolean {
  const spaced = given.trim().replace(/\s+/g, " ");
  if (spaced.length > expected.length * MOST_SHRINKING + SLACK) return false;
  return normalize(spaced, isCaseSensitive) === normalize(expected, isCaseSensitive);
}
