/** What a run in progress is doing. */

import * as z from "zod";
import type { RunStatus } from "../../shared/control.ts";
import { RUN_PHASES } from "../../shared/runFile.ts";
import { count, defineOutput, finite, measure } from "./output.ts";

const rollouts = z.object({ done: count, total: count });

export const statusOutput = defineOutput(
  { name: "status", version: 1, command: "control RUN_FOLDER status --json" },
  {
    folder: z.string().describe("absolute path of the run folder"),
    phase: z.enum(RUN_PHASES),
    preparing: z.string().nullable().describe("current step of the preparation; null: finished"),
    steps: count.describe("completed steps"),
    totalSteps: count.nullable().describe("null: endless, or unknown"),
    rollouts: rollouts.nullable().describe("rollouts of the current step; null: between steps"),
    evaluated: rollouts.nullable().describe("rollouts of the evaluation in progress; null: none"),
    reward: measure.describe(
      "mean reward of the last step; null: fewer than 90% of its rollouts have one",
    ),
  },
);

export function describeStatus(
  folder: string,
  { phase, preparing, step, totalSteps, rollouts: played, evaluated, rewardMean }: RunStatus,
): ReturnType<typeof statusOutput.of> {
  return statusOutput.of({
    folder,
    phase,
    preparing,
    steps: step,
    totalSteps,
    rollouts: played,
    evaluated,
    reward: finite(rewardMean),
  });
}
