/** Texts in the form in which they are compared. */

/** NFKC leaves it as it is, and takes much longer to find that out. */
const ASCII = /^[ -~\s]*$/;

/** Normalizing takes quadratic time for marks; 30 is what UAX #15 allows in its Stream-Safe Text Format. */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Unicode NFKC, trimmed, runs of white space as one space, and lower case unless `isCaseSensitive`. */
export function normalize(text: string, isCaseSensitive: boolean): string {
  const composed = ASCII.test(text) ? text : text.replace(TOO_MANY_MARKS, "$1").normalize("NFKC");
  const plain = composed.trim().replace(/\s+/g, " ");
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
