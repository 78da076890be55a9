/** How the time of a function grows with its input, measured so that a busy machine does not change the answer. */

/** A run that is shorter says nothing: the next larger text is read instead. */
const SHORT_MS = 2;
/** Characters of the shortest and of the longest text. */
const SIZES = { from: 16_384, to: 65_536 };
/** The sizes that are compared differ by two doublings; time that triples with each is more than n log n. */
const FACTOR = 4;
const MOST = 9;
/** Others on the machine, and collections of garbage, can only make a run longer, so that the shortest of several counts. */
const ROUNDS = 8;

export interface Growth {
  readonly characters: number;
  readonly ms: number;
  /** For a quarter of the characters. */
  readonly quarterMs: number;
}

/** Milliseconds of processor time of one run: time on the clock depends on what else the machine does. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Null unless the time grows faster than n log n; `prepare` gets the number of characters and returns the work. */
export function tooFastGrowth(
  prepare: (characters: number) => () => unknown,
  from: number = SIZES.from,
): Growth | null {
  let characters = from;
  let work = prepare(characters);
  let ms = timeOf(work);
  while (ms < SHORT_MS) {
    if (characters >= SIZES.to) return null;
    characters *= FACTOR;
    work = prepare(characters);
    ms = timeOf(work);
  }
  const quarter = prepare(characters / FACTOR);
  const growth = { characters, ms, quarterMs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    growth.quarterMs = Math.min(growth.quarterMs, timeOf(quarter));
    if (growth.ms <= MOST * growth.quarterMs) return null;
    growth.ms = Math.min(growth.ms, timeOf(work));
  }
  // What holds for two sizes by chance, as when one fits a cache and the other does not, does not hold for a third.
  const more = prepare(characters * FACTOR);
  return timeOf(more) <= MOST * growth.ms || timeOf(more) <= MOST * growth.ms ? null : growth;
}
