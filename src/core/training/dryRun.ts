/** Plays one step up to its update, to show what would be trained: rollouts, rewards, advantages, datums and alarms. No weights change. */

import type { TrainingClient } from "../tinker/trainingClient.ts";
import { checkLoss } from "./checks/checkLoss.ts";
import type { RunContext } from "./run/context.ts";
import type { LoopPosition } from "./step/loopPosition.ts";
import type { StepEnd } from "./step/step.ts";
import { StepPipeline } from "./stepPipeline.ts";
import { SupervisedSteps } from "./supervised/supervisedSteps.ts";

/**
 * Plays the step at `position` and writes what a step writes. The service computes log-probabilities and the loss, but no gradient.
 * @throws AppError as a step does
 */
export async function playDryRun(context: RunContext, position: LoopPosition): Promise<StepEnd> {
  const { services } = context;
  const dry = { ...context, services: { ...services, client: withoutUpdates(services.client) } };
  const isSupervised = dry.config.method === "sft";
  if (dry.config.probe_server && !isSupervised) await checkLoss(dry, position.step);
  const steps = isSupervised ? new SupervisedSteps() : await StepPipeline.open(dry);
  const { clock } = dry.ports;
  const fromMs = clock.monotonic();
  try {
    await steps.start(dry, position);
    const completed = await steps.run({
      context: dry,
      position,
      settingsHash: "",
      extra: {},
      secondsUntilNow: () => (clock.monotonic() - fromMs - dry.pauses.totalMs) / 1000,
      mayFollow: () => false,
      stepsAhead: () => 1,
    });
    return completed.output;
  } finally {
    await steps.close();
  }
}

/** A client whose updates do nothing. */
function withoutUpdates(client: TrainingClient): TrainingClient {
  return {
    modelId: client.modelId,
    info: () => client.info(),
    saveState: (...args) => client.saveState(...args),
    saveSampler: (...args) => client.saveSampler(...args),
    ephemeralSampler: () => client.ephemeralSampler(),
    forwardBackward: (data, lossFn, lossConfig, options) =>
      client.forwardBackward(data, lossFn, lossConfig, { ...options, forwardOnly: true }),
    optimStep: async () => ({ metrics: {} }),
  };
}
