/** How far apart two words are, and which known word someone probably meant. */

/** Number of insertions, deletions, substitutions and swaps of neighbours that lead from `a` to `b`. */
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

/**
 * The candidate nearest to `word`, letter case and `-` against `_` aside, or null when none is near: at most a third of
 * the letters of the longer one may differ, and always one.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  const wanted = normalize(word);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalize(candidate));
    const length = Math.max(wanted.length, candidate.length);
    const isNear = distance <= Math.max(1, Math.floor(length / 3)) && distance < length;
    if (isNear && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
