/** What a check of an environment says. */

import type { Probe } from "./probe.ts";

/** A defect makes rewards or tasks wrong; a warning may be intended and says what it costs; a note is for information. */
export type FindingSeverity = "defect" | "warning" | "note";

/** What was observed, for a person to repeat. */
export interface Evidence {
  /** `train 3`. */
  readonly task?: string | undefined;
  /** `answer {"value":"x"}`. */
  readonly call?: string | undefined;
  readonly answer?: string | undefined;
  readonly numbers?: string | undefined;
}

export interface CheckFinding {
  readonly severity: FindingSeverity;
  /** A sentence that says what was seen. */
  readonly message: string;
  readonly evidence: Evidence;
  /** What to do. */
  readonly advice: string;
}

export interface CheckOutcome {
  readonly findings: readonly CheckFinding[];
  /** What was measured, in a few words. */
  readonly measured?: string | undefined;
  /** Why the check could not be made; that is no finding. */
  readonly notMade?: string | undefined;
}

export interface EnvironmentCheck {
  /** In kebab case. */
  readonly id: string;
  /** What the environment should do, as a sentence. */
  readonly rule: string;
  /** @throws AppError when the environment gives nothing to check, or the limits of the probe are over */
  run(probe: Probe): Promise<CheckOutcome>;
}

/** The outcome of a check that could not be made. */
export function notMade(reason: string): CheckOutcome {
  return { findings: [], notMade: reason };
}

/** The outcome that holds the findings that are there. */
export function found(
  measured: string | undefined,
  ...findings: readonly (CheckFinding | null)[]
): CheckOutcome {
  return { measured, findings: findings.filter((each) => each !== null) };
}
