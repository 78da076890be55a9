/** The model of a chat that continues a rollout from a standalone evaluation. */

import { AppError } from "../../core/errors.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { PlannedModel } from "../../shared/runFile.ts";
import type { FoundTurn } from "./findStoredTurn.ts";

interface Evaluation {
  readonly name: string;
  readonly models: readonly PlannedModel[];
  readonly baseName: string;
}

/** Opens the model that played the rollout. @throws AppError `no-checkpoint` without a rollout, `tinker-*` */
export async function openEvaluated(
  service: ServiceClient,
  { name, models, baseName }: Evaluation,
  continued: FoundTurn | null,
): Promise<{ readonly sampler: SamplingClient; readonly label: string }> {
  const model = models.find((each) => each.name === continued?.model);
  if (model === undefined) {
    throw new AppError(
      "no-checkpoint",
      `${name} is an evaluation, which has no weights. Continue from a turn of one of its rollouts with --eval, --step, --rollout and --turn, or specify a checkpoint that it measured.`,
    );
  }
  const { path } = model;
  const sampler = path === null ? service.samplerForBase(baseName) : service.samplerForPath(path);
  return { sampler: await sampler, label: `${name} · ${model.name}` };
}
