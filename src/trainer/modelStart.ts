/** Where a new run starts: its model, and its place in the plan. */

import type { Config } from "../core/config/schema.ts";
import type { TrainingClient } from "../core/tinker/trainingClient.ts";
import { stepOfCheckpoint } from "../core/training/checkpoints.ts";
import { type LoopPosition, START } from "../core/training/loop.ts";
import type { TinkerConnection } from "./connections.ts";

/** A new adapter, one with another run's weights, or one that goes on from a checkpoint. */
export function createClient(
  { service }: TinkerConnection,
  config: Config,
): Promise<TrainingClient> {
  const { resume_from: resume, init_from: init } = config;
  if (resume?.startsWith("tinker://") === true) {
    return service.createTrainingClientFromState(resume, { optimizer: true });
  }
  if (init !== null) return service.createTrainingClientFromState(init, { optimizer: false });
  return service.createTrainingClient({
    baseModel: config.model_name,
    rank: config.lora_rank,
    seed: config.seed,
  });
}

/** A checkpoint without its run folder goes on at the step in its name, at that step's place in the data. */
export function startPosition(config: Config): LoopPosition {
  const { resume_from: resume } = config;
  const step = resume?.startsWith("tinker://") === true ? (stepOfCheckpoint(resume) ?? 0) : 0;
  return { ...START, step, cursor: step * config.batch_size };
}
