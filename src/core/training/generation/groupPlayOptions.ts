/** How the groups of a training step are played, and what is written down of them. */

import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { rolloutSeed } from "../../rollout/seeds.ts";
import { sum } from "../../util/stats.ts";
import type { RunContext } from "../run/context.ts";
import type { Policy } from "../run/policy.ts";
import type { GroupProgress } from "../run/stepProgress.ts";
import { datumLength } from "../update/datums.ts";
import { pauseAtFailure } from "./groupFailurePolicy.ts";
import type { PlayOptions } from "./rolloutPlayer.ts";
import { storedRecord } from "./storedRecord.ts";

interface PlayedBatch {
  /** False while it depends on rewards which step trains them. */
  readonly isStepKnown: boolean;
  readonly policy: Policy;
}

/** Finds the group of a rollout among those that are issued together. */
export interface GroupLookUp {
  readonly progressOf: (rollout: FinishedRollout) => GroupProgress | undefined;
  readonly positionOf: (task: RolloutTask) => number;
}

export function playOptions(
  context: RunContext,
  { isStepKnown, policy: { sampler, version } }: PlayedBatch,
  { positionOf, progressOf }: GroupLookUp,
): PlayOptions {
  const { config, ports, storage } = context;
  return {
    context,
    sampler,
    seedOf: (task, turn) => rolloutSeed(ports.sha256, config.seed, task, turn),
    onFinished: async (rollout) => {
      if (isStepKnown) await writeRollout(context, rollout);
      progressOf(rollout)?.add(rollout);
      await pauseAtFailure(context, rollout);
    },
    onUsed: (task, tokens, streams) => {
      const position = positionOf(task);
      const data = sum(streams.map(datumLength));
      storage.usage.add({
        for: "rollout",
        position,
        version,
        rollout: task.rollout,
        tokens,
        data: data > 0 ? data : undefined,
      });
    },
  };
}

export async function writeRollout(context: RunContext, rollout: FinishedRollout): Promise<void> {
  await context.storage.store.addRollout(await storedRecord(context, rollout));
}
