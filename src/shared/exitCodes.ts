/** What the exit code of the program says; the extension reads it from the record of a launch. */

export const EXIT = {
  done: 0,
  /** Of the program or of this computer, or one that no other code covers. */
  fault: 1,
  /** Configuration, arguments or a named file cannot be used. */
  invalid: 2,
  stopped: 3,
  /** Capacity or a budget ran out. */
  limit: 4,
  service: 5,
  /** Ended at once, because someone asked for that. */
  interrupted: 6,
} as const;

/** From the least to the worst. */
const SEVERITY: readonly number[] = [
  ...[EXIT.done, EXIT.stopped, EXIT.interrupted, EXIT.limit, EXIT.service, EXIT.invalid],
  EXIT.fault,
];

/** The worst of the codes of several runs; that of no run is 0. */
export function worstExit(codes: readonly number[]): number {
  return SEVERITY[Math.max(0, ...codes.map((code) => SEVERITY.indexOf(code)))] ?? EXIT.fault;
}
