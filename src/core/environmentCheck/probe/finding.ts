/** The results of a check of an environment. */

import type { Probe } from "./probe.ts";

/** A defect makes rewards or tasks wrong; a warning may be intended and states its cost; a note is only information. */
export type FindingSeverity = "defect" | "warning" | "note";

/** What was observed, so that it can be reproduced. */
export interface Evidence {
  /** Such as `train 3`. */
  readonly task?: string | undefined;
  /** Such as `answer {"value":"x"}`. */
  readonly call?: string | undefined;
  readonly answer?: string | undefined;
  readonly numbers?: string | undefined;
}

export interface CheckFinding {
  readonly severity: FindingSeverity;
  /** A sentence that states what was seen. */
  readonly message: string;
  readonly evidence: Evidence;
  /** What to do about it. */
  readonly advice: string;
}

export interface CheckOutcome {
  readonly findings: readonly CheckFinding[];
  /** What was measured, in a few words. */
  readonly measured?: string | undefined;
  /** Why the check was not made; this is not a finding. */
  readonly notMade?: string | undefined;
}

export interface EnvironmentCheck {
  /** In kebab-case. */
  readonly id: string;
  /** What the environment should do, as a sentence. */
  readonly rule: string;
  /** @throws AppError when the environment has nothing to check, or the probe's limits are reached */
  run(probe: Probe): Promise<CheckOutcome>;
}

/** The outcome of a check that was not made. */
export function notMade(reason: string): CheckOutcome {
  return { findings: [], notMade: reason };
}

/** The outcome with all non-null findings. */
export function found(
  measured: string | undefined,
  ...findings: readonly (CheckFinding | null)[]
): CheckOutcome {
  return { measured, findings: findings.filter((each) => each !== null) };
}
