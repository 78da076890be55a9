/** The evaluation after the last step. */

import { appendMetrics } from "../../core/runFolder/metrics/metrics.ts";
import { evaluate } from "../../core/training/evaluation/evaluate.ts";
import { endRow } from "../../core/training/evaluation/evaluation.ts";
import type { LoopEnd } from "../../core/training/loop.ts";
import { raceAbort } from "../../core/util/abort.ts";
import {
  type ConnectionOptions,
  connectModelService,
  type TinkerConnection,
} from "../services/connections.ts";

/**
 * Evaluates what was saved, not what is in memory: closes the embedded engine and has a new one load the final checkpoint from disk;
 * the hosted service loads it into a new sampler.
 */
export async function evaluateAtEnd(
  { best, context, ending, outcome, samplerPath, step }: LoopEnd,
  tinker: TinkerConnection,
  connections: ConnectionOptions,
): Promise<void> {
  const { evaluation } = context.config;
  if (evaluation === null || !evaluation.at_end) return;
  // Hitting a budget usually ends a run for good, so the result is evaluated as well.
  if (outcome !== "done" && (ending === null || ending.code === "stop-at-step")) return;
  if (samplerPath === null || context.control.isStopping) return;
  await tinker.close();
  const connecting = connectModelService({ ...connections, waitsForBills: "all" });
  const fresh = await raceAbort(connecting, context.control.signal);
  const sampler = await fresh.service.samplerForPath(samplerPath);
  await context.reporting.events.record({
    step,
    level: "info",
    kind: "evaluation-session",
    message: "The final evaluation uses a session of its own.",
    data: { session_id: await fresh.service.sessionId() },
  });
  const results = await evaluate(context, evaluation, sampler, { step, purpose: "end" });
  const { attempt, fileSystem, folder } = context.storage;
  await appendMetrics(fileSystem, folder, endRow(step, attempt, results));
  await best.update({
    ...context,
    services: { ...context.services, service: fresh.service },
  });
  await fresh.service.finish("success");
}
