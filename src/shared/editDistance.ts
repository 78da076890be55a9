/** How far apart two words are, and which known words someone probably meant. */

/** Number of insertions, deletions, substitutions and adjacent swaps that turn `a` into `b` (Damerau-Levenshtein). */
export function editDistance(a: string, b: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current: number[] = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      current.push(
        Math.min(
          cell(previous, j) + 1,
          cell(current, j - 1) + 1,
          cell(previous, j - 1) + (isSame ? 0 : 1),
          isSwap ? cell(beforePrevious, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return cell(previous, b.length);
}

/** Longer words are not typos, and comparing them is slow. */
const MAX_LENGTH = 80;
const MAX_WORDS = 3;

/**
 * The candidates closest to `word`, nearest first, at most three. Ignores letter case and `-` versus `_`. At most a third of the letters of
 * the longer word may differ, but one always may; a permutation of the same letters is also near. In names such as `owner/name:part` this
 * applies to each part, so that a long shared owner does not make any two of its names similar.
 */
export function nearestWords(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length > MAX_LENGTH) return [];
  const wanted = normalizeWord(word);
  return candidates
    .flatMap((candidate) => {
      const distance = nearDistance(wanted, normalizeWord(candidate));
      return distance === null ? [] : { candidate, distance };
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_WORDS)
    .map(({ candidate }) => candidate);
}

/** The first of {@link nearestWords}, or null. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  return nearestWords(word, candidates)[0] ?? null;
}

/** The form in which words are compared: lowercase, with `_` for `-`. */
export function normalizeWord(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

/** Null when any part is not near its counterpart. */
function nearDistance(wanted: string, candidate: string): number | null {
  const wantedParts = wanted.split(/[/:]/);
  const parts = candidate.split(/[/:]/);
  if (parts.length !== wantedParts.length) return partDistance(wanted, candidate);
  let distance = 0;
  for (const [i, part] of parts.entries()) {
    const own = partDistance(wantedParts[i] ?? "", part);
    if (own === null) return null;
    distance += own;
  }
  return distance;
}

function partDistance(wanted: string, candidate: string): number | null {
  if (wanted === candidate) return 0;
  const longer = Math.max(wanted.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longer / 3));
  if (Math.abs(wanted.length - candidate.length) > allowed || longer > MAX_LENGTH) return null;
  const distance = editDistance(wanted, candidate);
  if (distance <= allowed && distance < longer) return distance;
  return sortedLetters(wanted) === sortedLetters(candidate) ? distance : null;
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
