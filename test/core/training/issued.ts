/** A step's groups, issued as the loop does. */

import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { GroupQueue } from "../../../src/core/training/generation/groupQueue.ts";
import type { RunContext } from "../../../src/core/training/run/context.ts";
import type { StepBeginning } from "../../../src/core/training/step/gatherStepFacts.ts";
import type { TaskItem } from "../../../src/core/training/tasks/dataset.ts";

export interface Issued {
  readonly step: number;
  readonly items: readonly TaskItem[];
  readonly sampler: SamplingClient;
  /** Updates that the sampler has seen. */
  readonly updates: number;
}

export function issued(
  context: RunContext,
  { step, items, sampler, updates }: Issued,
): StepBeginning["take"] {
  const queue = new GroupQueue();
  queue.issue(context, {
    step,
    isStepKnown: true,
    items,
    policy: { sampler, version: step, updates, behind: 0 },
    settingsHash: "h",
  });
  return () => queue.take(context, step, items.length);
}
