/** A run from its configuration to its end: puts everything together in order. */

import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { makeCheckpointStore } from "../../node/checkpointStore.ts";
import { connectAndPrepare, connectionOptions, type LoadOnce } from "../plan/connectRun.ts";
import { recordFailure } from "../plan/runEnding.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import { type LostAttempt, type RecoveryCount, waitToReconnect } from "../resume/recovery.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import type { ConnectionOptions } from "../services/connections.ts";
import { findTrackers } from "../tracking/trackers.ts";
import { loadListPrices } from "../usage/loadPriceList.ts";
import { finishRun } from "./finishRun.ts";
import { RunAttempt } from "./runAttempt.ts";

/**
 * Runs the plan to its end, with a new attempt after each lost session or dead embedded service, at most `max_recoveries` times.
 * @throws AppError from any part, with the key or file at fault, cleaned of secrets
 */
export async function executeRun(trainer: TrainerOptions, plan: RunPlan): Promise<RunEnd> {
  let lost: LostAttempt | null = null;
  try {
    const limit = plan.loaded.config.max_recoveries;
    let current = plan;
    let tokenizer: Promise<ModelTokenizer> | null = null;
    const loadOnce: LoadOnce = (load) => {
      tokenizer ??= load();
      return tokenizer;
    };
    for (let made = 0; ; made += 1) {
      const recoveries = { made, limit };
      const end = await executeAttempt(trainer, current, { recoveries, lost, loadOnce });
      if (end.outcome !== "lost") return end;
      lost = end;
      trainer.control.recover();
      const settings = trainer.controlChannel?.settings ?? current.loaded;
      current = await current.recover(lost.lease.folder, settings);
    }
  } catch (error) {
    // No effect if a later attempt has taken over the folder.
    if (lost !== null) await recordFailure(lost.lease, error, trainer);
    throw trainer.redactor.redactError(error);
  }
}

interface AttemptOptions {
  readonly recoveries: RecoveryCount;
  /** The attempt that this one recovers; null for the first. */
  readonly lost: LostAttempt | null;
  /** Loads the tokenizer for the first attempt and reuses it for later ones. */
  readonly loadOnce: LoadOnce;
}

/** Opens services for one attempt and closes them. Returns the loss again, after a wait, if they could not be reached. */
async function executeAttempt(
  trainer: TrainerOptions,
  plan: RunPlan,
  options: AttemptOptions,
): Promise<RunEnd | LostAttempt> {
  const { recoveries, lost } = options;
  const services = new CleanupStack();
  try {
    return await runPlan(trainer, plan, { ...options, services });
  } catch (error) {
    if (lost === null) throw error;
    await waitToReconnect(error, lost, recoveries, trainer);
    return lost;
  } finally {
    await services.closeAll();
  }
}

async function runPlan(
  trainer: TrainerOptions,
  plan: RunPlan,
  { services, recoveries, lost, loadOnce }: AttemptOptions & { readonly services: CleanupStack },
): Promise<RunEnd | LostAttempt> {
  const { name: runName, loaded } = plan;
  const own = await connectionOptions(trainer, { loaded, runName, services });
  const connections: ConnectionOptions = {
    ...own,
    // At the start there is nothing to lose by failing.
    waitsForBills: lost === null ? "work" : "all",
  };
  const trackers = await findTrackers(connections);
  if (plan.isOver === true) return finishRun(trainer, plan, connections.variables, trackers);
  if (isLocalModel(loaded.config.model_name)) await makeCheckpointStore();
  const { tinker, preparation } = await connectAndPrepare(connections, plan, loadOnce);
  const listPrices = await loadListPrices({
    config: loaded.config,
    address: tinker.service.address,
    folder: plan.folder,
    log: trainer.log,
    signal: trainer.control.signal,
  });
  const attempt = { trainer, plan, connections, trackers, tinker, preparation };
  return new RunAttempt({ ...attempt, recoveries, lost, listPrices }).run();
}
