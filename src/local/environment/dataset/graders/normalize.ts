/** Normalizes texts for comparison. */

/** NFKC leaves ASCII unchanged, but takes much longer to find that out. */
const ASCII = /^[ -~\s]*$/;

/** Normalization is quadratic in combining marks; UAX #15 allows 30 in its Stream-Safe Text Format. */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Unicode NFKC, trimmed, runs of white space collapsed, and lower case unless `isCaseSensitive`. */
export function normalize(text: string, isCaseSensitive: boolean): string {
  const composed = ASCII.test(text) ? text : text.replace(TOO_MANY_MARKS, "$1").normalize("NFKC");
  const plain = composed.trim().replace(/\s+/g, " ");
  return isCaseSensitive ? plain : plain.toLowerCase();
}

/** NFKC shrinks a text by at most this factor, so a longer one cannot be equal; texts within the limit are quick to normalize. */
const MAX_SHRINKING = 4;
const SLACK = 64;

/** True if both are equal once normalized. `expected` is short. */
export function isSameText(given: string, expected: string, isCaseSensitive: boolean): boolean {
  const spaced = given.trim().replace(/\s+/g, " ");
  if (spaced.length > expected.length * MAX_SHRINKING + SLACK) return false;
  return normalize(spaced, isCaseSensitive) === normalize(expected, isCaseSensitive);
}
