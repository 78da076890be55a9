/** How the time of a function grows with its input, measured robustly on a busy machine. */

/** A shorter measurement is unreliable: the next larger text is used instead. */
const SHORT_MS = 2;
/** Characters of the shortest and of the longest text. */
const SIZES = { from: 16_384, to: 65_536 };
/** The compared sizes are two doublings apart; tripling the time with each is more than n log n. */
const FACTOR = 4;
const MOST = 9;
/** Other processes and garbage collections can only make a measurement longer, so the shortest of several counts. */
const ROUNDS = 8;

export interface Growth {
  readonly characters: number;
  readonly ms: number;
  /** For a quarter of the characters. */
  readonly quarterMs: number;
}

/** Milliseconds of processor time of one call: wall time depends on the load of the machine. */
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
  // An effect at two sizes by chance, such as the limit of a cache, does not occur at a third.
  const more = prepare(characters * FACTOR);
  return timeOf(more) <= MOST * growth.ms || timeOf(more) <= MOST * growth.ms ? null : growth;
}
