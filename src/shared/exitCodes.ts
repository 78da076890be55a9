/** Exit codes of the program; the extension reads them from the launch record. */

export const EXIT = {
  done: 0,
  /** A bug in the program, a problem with this computer, or anything not covered by another code. */
  fault: 1,
  /** Configuration, arguments or a named file cannot be used. */
  invalid: 2,
  stopped: 3,
  /** Out of capacity or over budget. */
  limit: 4,
  service: 5,
  /** Stopped immediately on request. */
  interrupted: 6,
} as const;

/** From least to most severe. */
const SEVERITY: readonly number[] = [
  ...[EXIT.done, EXIT.stopped, EXIT.interrupted, EXIT.limit, EXIT.service, EXIT.invalid],
  EXIT.fault,
];

/** The most severe exit code of several runs; 0 for no runs. */
export function worstExit(codes: readonly number[]): number {
  return SEVERITY[Math.max(0, ...codes.map((code) => SEVERITY.indexOf(code)))] ?? EXIT.fault;
}
