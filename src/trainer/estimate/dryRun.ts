/** A dry run: a training run up to its first update, with a few groups, in a folder that is removed unless it is to be kept. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { DRY_RUN_SUFFIX } from "../../core/estimate/pastRun.ts";
import { priceFileOf } from "../../core/runFolder/priceFile.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { playDryRun } from "../../core/training/dryRun.ts";
import { askedTasks } from "../../core/training/estimatePlan.ts";
import type { StepEnd } from "../../core/training/step/step.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { runName, runParent } from "../../node/runPaths.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { claimRun } from "../plan/claimRun.ts";
import { connectAndPrepare, connectionOptions, type PreparedServices } from "../plan/connectRun.ts";
import { recordFailure } from "../plan/runEnding.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { DryRunRequest, RunEnd } from "../plan/types.ts";
import { reportContext, trainingContext } from "../run/runContext.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { loadListPrices } from "../usage/loadPriceList.ts";
import { projectTasks, reportEstimate, supervisedReport } from "./estimate.ts";

export interface DryRun extends Pick<DryRunRequest, "groups" | "isKept" | "onPlayed"> {
  readonly loaded: LoadedConfig;
  /** Plans a new run of a configuration. */
  readonly planOf: (loaded: LoadedConfig) => RunPlan;
}

/** @throws AppError `run-without-rewards` if no rollout got a reward, and like a run that cannot start; cleaned of secrets */
export async function executeDryRun(trainer: TrainerOptions, dry: DryRun): Promise<RunEnd> {
  trainer.controlChannel?.refuseTraining();
  const services = new CleanupStack();
  const { config, path } = dry.loaded;
  const parent = dry.isKept
    ? runParent(config, path)
    : await mkdtemp(join(tmpdir(), "tinker-rl-dry-run-"));
  if (!dry.isKept) services.add(() => rm(parent, { recursive: true, force: true }));
  try {
    const loaded = { ...dry.loaded, config: dryConfig(config, path, parent, dry.groups) };
    const plan = dry.planOf(loaded);
    const connecting = { loaded, runName: plan.name, services };
    const connections = await connectionOptions(trainer, connecting);
    const prepared = await connectAndPrepare(connections, plan, (load) => load());
    // Watchers are not notified of a folder that is removed afterwards.
    const { onClaim: _, ...unnoticed } = trainer;
    const lease = await claimRun(dry.isKept ? trainer : unnoticed, plan, plan);
    connections.serverOutput.attach(lease.files, lease.folder);
    return await play(trainer, { ...dry, config, plan, prepared, lease });
  } catch (error) {
    throw trainer.redactor.redactError(error);
  } finally {
    await services.closeAll();
  }
}

/** One step with `groups` tasks and without evaluation, tracking, or saves. */
function dryConfig(config: Config, path: string, parent: string, groups: number): Config {
  return {
    ...config,
    batch_size: groups,
    refill: false,
    max_steps_off_policy: 0,
    // The weights stay the same, so every pass would show the same.
    num_passes: 1,
    pause_on_alarm: false,
    log_path: parent,
    run_name: `${runName(config, path)}${DRY_RUN_SUFFIX}`,
  };
}

interface Playing extends Pick<DryRun, "isKept" | "onPlayed"> {
  /** The training configuration that this tries out. */
  readonly config: Config;
  readonly plan: RunPlan;
  readonly prepared: PreparedServices;
  readonly lease: RunLease;
}

async function play(
  trainer: TrainerOptions,
  { config, plan, prepared, lease, isKept, onPlayed }: Playing,
): Promise<RunEnd> {
  const { tinker, preparation } = prepared;
  const { folder } = lease;
  try {
    const model = await raceAbort(plan.createModel(tinker, preparation), trainer.control.signal);
    const reporting = reportContext(trainer, plan, lease, preparation.totalSteps);
    const listPrices = await loadListPrices({
      config: plan.loaded.config,
      address: tinker.service.address,
      folder: null,
      log: trainer.log,
      signal: trainer.control.signal,
    });
    const context = trainingContext(reporting, tinker.service, model.client, {
      ...preparation,
      configPath: plan.loaded.path,
      listPrices: listPrices?.prices ?? null,
    });
    const output = await playDryRun(context, model.start);
    await context.storage.usage.flush();
    const tasks = askedTasks(preparation, trainer.control.signal);
    const played = { prices: priceFileOf(config, listPrices) };
    const basis = { fileSystem: lease.files, folder, played };
    const supervised = supervisedReport({ config, preparation, listPrices });
    const project = projectTasks(config, tasks);
    const report = supervised ?? (await reportEstimate({ config, project, listPrices }, basis));
    await onPlayed(folder, report);
    if (supervised === null) requireRewards(output);
    await tinker.service.finish("success");
    await lease.end({ phase: "done" });
    return { outcome: "done", folder: isKept ? folder : null };
  } catch (error) {
    // If a dead service ended the run, this error is only a consequence.
    const cause = trainer.control.failure ?? error;
    await recordFailure(lease, cause, trainer);
    const isStopped = isAppError(cause, "stopped");
    await tinker.service.finish(isStopped ? "interrupted" : "errored");
    if (isStopped) return { outcome: "stopped", folder: isKept ? folder : null };
    throw cause;
  }
}

function requireRewards({ rollouts }: StepEnd): void {
  if (rollouts.some(({ record }) => record.reward !== null)) return;
  const first = rollouts.find(({ record }) => record.error !== null)?.record.error;
  throw new AppError(
    "run-without-rewards",
    `None of ${rollouts.length} rollouts got a reward, so training would learn nothing. ${
      first == null ? "See how they ended, and set nonterminal_reward if they should count." : first
    }`,
  );
}
