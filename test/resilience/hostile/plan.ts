/** Input and output of the test's programs. */

/** Longer than a person would wait. */
export const LIMIT_MS = 30_000;
export const TOO_LONG = `took more than ${LIMIT_MS / 1000} s`;

export interface PlannedCase {
  readonly id: number;
  readonly room: "run" | "launch" | "config";
  readonly kind: string;
  readonly what: string;
  readonly folder: string;
}

export interface Plan {
  readonly cases: readonly PlannedCase[];
  /** Holds all run folders. */
  readonly runs: string;
  /** Holds all launch folders. */
  readonly launches: string;
}

/** The outcome of one case, or of a check on all cases. */
export interface Outcome {
  readonly id: number | null;
  readonly kind: string;
  readonly blockMs: number;
  readonly rssMb: number;
  readonly tookMs: number;
  /** A violation: a planted secret that was shown, a bug in the program, an endless wait. */
  readonly faults: readonly string[];
  /** How it ended, in a word. */
  readonly end: string;
}
