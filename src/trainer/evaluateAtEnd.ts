/** The evaluation after the last step. */

import { evaluate } from "../core/training/evaluate.ts";
import type { LoopEnd } from "../core/training/loop.ts";
import type { TrainerScope } from "./runPlan.ts";
import {
  type ConnectionOptions,
  connectModelService,
  type TinkerConnection,
} from "./services/connections.ts";

/**
 * Evaluates what was saved, not what is in memory: the embedded engine is ended and a new one loads the final checkpoint from
 * disk; the hosted service loads it into a new sampler.
 */
export async function evaluateAtEnd(
  scope: TrainerScope,
  end: LoopEnd,
  tinker: TinkerConnection,
  parts: ConnectionOptions,
): Promise<void> {
  const { context } = end;
  const { evaluation } = context.config;
  if (end.outcome !== "done" || evaluation === null || !evaluation.at_end) return;
  if (end.samplerPath === null || scope.control.isStopping) return;
  await tinker.close();
  const fresh = await connectModelService(parts);
  const sampler = await fresh.service.samplerForPath(end.samplerPath);
  await evaluate(context, evaluation, sampler, { step: end.step, purpose: "end" });
  await fresh.service.finish("success");
}
