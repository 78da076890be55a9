/** A test's report to the final table; without it a test counts as one check, and as one difference if it fails. */

import type { TestContext } from "vitest";

export interface Tally {
  readonly checks: number;
  readonly differences: readonly string[];
  /** What was not compared, or differs on purpose: one sentence each. */
  readonly explained: readonly string[];
  /** What was compared with, if the table row cannot say it. */
  readonly version?: string;
}

declare module "vitest" {
  interface TaskMeta {
    tally?: Tally;
  }
}

/** Call before the first expectation, because a failed one ends the test. */
export function addTally({ task }: Pick<TestContext, "task">, tally: Tally): void {
  task.meta.tally = tally;
}
