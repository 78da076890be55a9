/** What a test reports to the table at the end; without it a test counts as one check, and as one difference if it fails. */

import type { TestContext } from "vitest";

export interface Tally {
  readonly checks: number;
  readonly differences: readonly string[];
  /** What was not compared, or is another way on purpose: a sentence each. */
  readonly explained: readonly string[];
  /** Who was compared with, where the row of the table cannot say it. */
  readonly version?: string;
}

declare module "vitest" {
  interface TaskMeta {
    tally?: Tally;
    /** A row of the wire's tables that the test plays. */
    row?: string;
  }
}

/** To be called before the first expectation, since a failed one ends the test. */
export function addTally({ task }: Pick<TestContext, "task">, tally: Tally): void {
  task.meta.tally = tally;
}
