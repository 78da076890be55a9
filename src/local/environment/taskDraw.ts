/** Draws tasks for disjoint splits: a task belongs to the test split because of its content, not because of when it was drawn. */

import { createUniform } from "../../shared/uniform.ts";

/** One in this many tasks is reserved for testing. */
const TEST_SHARE = 5;

/**
 * The `index`-th task of a split: draws from a stream seeded by environment, split, and index until a task belongs to the split.
 * `fingerprint` maps a task to an integer that is spread over residues.
 */
export function taskDraw<Task>(
  salt: number,
  draw: (uniform: () => number) => Task,
  fingerprint: (task: Task) => number,
): (split: string, index: number) => Task {
  return (split, index) => {
    const uniform = createUniform(salt * 1_000_003 + index * 2 + (split === "test" ? 1 : 0));
    for (;;) {
      const task = draw(uniform);
      const isTest = fingerprint(task) % TEST_SHARE === 0;
      if (isTest === (split === "test")) return task;
    }
  };
}
