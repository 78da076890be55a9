/** Builds the contexts of a run. */

import { createEventLog } from "../../core/runFolder/events.ts";
import { createRolloutStore } from "../../core/runFolder/rollouts/rolloutStore.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { createUsageLog } from "../../core/runFolder/usageLog.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import type { Preparation } from "../../core/training/prepare.ts";
import {
  type PlayContext,
  type RunContext,
  type RunServices,
  runLimits,
} from "../../core/training/run/context.ts";
import { PausedTime } from "../../core/training/run/pausedTime.ts";
import { systemClock } from "../../node/clock.ts";
import { measureLag } from "../../node/eventLoopLag.ts";
import { sha256 } from "../../node/hash.ts";
import { systemRandom } from "../../node/random.ts";
import { samplerPathOf } from "../../node/savedWeights.ts";
import { stageOf } from "../../shared/runFile.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { ReportContext } from "../tracking/reportContext.ts";

/** Context of a run with a folder; `totalSteps` null = endless. */
export function reportContext(
  { log, control, redactor, watch }: TrainerOptions,
  { loaded }: Pick<RunPlan, "loaded">,
  lease: RunLease,
  totalSteps: number | null,
): ReportContext {
  const { folder, files: fileSystem } = lease;
  const { attempt, sweep } = lease.file;
  const clock = systemClock;
  return {
    config: loaded.config,
    totalSteps,
    control,
    ports: { clock, random: systemRandom, sha256 },
    storage: {
      fileSystem,
      folder,
      store: createRolloutStore({ fileSystem, redactor, folder }),
      usage: createUsageLog({ fileSystem, folder, log }),
      attempt,
      stage: stageOf(sweep),
    },
    reporting: {
      events: createEventLog({ fileSystem, clock, redactor, folder, attempt }),
      watch,
      log,
      redactor,
      enterPhase: (phase) => lease.update({ phase }),
    },
  };
}

interface PreparedRun extends Preparation, Pick<RunContext, "listPrices"> {
  /** The configuration file; folders in it are relative to its location. */
  readonly configPath: string;
  readonly knownDifficulty?: RunServices["knownDifficulty"];
}

/** Context for playing rollouts; measures event-loop lag from now on. Without `isOwn` it deletes nothing. */
export function playContext(
  context: ReportContext,
  service: ServiceClient,
  { chat, environments, examples, listPrices, sequence, configPath, knownDifficulty }: PreparedRun,
  isOwn: PlayContext["services"]["isOwn"] = () => false,
): PlayContext {
  return {
    ...context,
    sequence,
    examples,
    listPrices,
    limits: runLimits(context.config),
    pauses: new PausedTime(context.ports.clock),
    ports: { ...context.ports, takeLagMs: measureLag() },
    services: {
      service,
      chat,
      environments,
      knownDifficulty,
      isOwn,
      samplerPathOf: (given) => samplerPathOf({ given, key: keyOf(context, given), configPath }),
    },
  };
}

/** The configuration key that names weights to sample from. */
function keyOf({ config }: ReportContext, given: string): string {
  const isReference = given === config.kl_reference || given === config.init_from;
  return isReference ? "kl_reference" : "teacher.checkpoint";
}

/** Context of a run that trains `client`. */
export function trainingContext(
  context: ReportContext,
  service: ServiceClient,
  client: TrainingClient,
  preparation: PreparedRun,
  isOwn?: PlayContext["services"]["isOwn"],
): RunContext {
  const playing = playContext(context, service, preparation, isOwn);
  return { ...playing, services: { ...playing.services, client } };
}
