/** What the steps of a run share, split by purpose so that a function can take only the parts it needs. */

import type { RunPhase } from "../../../shared/runFile.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Chat } from "../../chat/chat.ts";
import { maxConcurrentRollouts, maxConcurrentSamples } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import type { ExampleSet } from "../../examples/exampleSet.ts";
import type { TaskDifficulty } from "../../openreward/catalogue.ts";
import type { RemoteEnvironment } from "../../openreward/types.ts";
import type { Clock, FolderFiles, Log, Random, Sha256 } from "../../ports.ts";
import type { EnvironmentGate } from "../../rollout/environmentGate.ts";
import type { RolloutInputs, RolloutSettings } from "../../rollout/settings.ts";
import type { EventLog } from "../../runFolder/events.ts";
import type { RolloutStore } from "../../runFolder/rollouts/rolloutStore.ts";
import type { UsageLog } from "../../runFolder/usageLog.ts";
import type { Redactor } from "../../secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../tinker/serviceClient.ts";
import type { TrainingClient } from "../../tinker/trainingClient.ts";
import type { Prices } from "../../usage/prices.ts";
import { Limiter } from "../../util/limiter.ts";
import type { TaskSequence } from "../tasks/dataset.ts";
import type { RunControl } from "./control.ts";
import type { PausedTime } from "./pausedTime.ts";
import type { Watcher } from "./progress.ts";

/** Everything about a run. `config`, `totalSteps` and the environments' settings are the current ones. */
export interface RunContext {
  readonly config: Config;
  readonly sequence: TaskSequence;
  /** What a supervised run imitates, indexed by the items of the sequence; absent for reinforcement learning. */
  readonly examples?: ExampleSet | undefined;
  /** Null when endless. */
  readonly totalSteps: number | null;
  /** The vendor's prices, used when the configuration sets none; null unless all are known. */
  readonly listPrices: Prices | null;
  readonly limits: RunLimits;
  readonly control: RunControl;
  readonly pauses: PausedTime;
  readonly ports: RunPorts;
  readonly services: RunServices;
  readonly storage: RunStorage;
  readonly reporting: RunReporting;
}

/** What playing rollouts needs. A standalone evaluation trains no model and has no training client. */
export interface PlayContext extends Omit<RunContext, "services"> {
  readonly services: Omit<RunServices, "client">;
}

export interface RunPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: Sha256;
  /** Event loop lag since the last call: 99th percentile in milliseconds; null when unknown. */
  readonly takeLagMs?: () => number | null;
}

/** The model and its environments. */
export interface RunServices {
  readonly service: ServiceClient;
  readonly client: TrainingClient;
  /** Sampler path of a `tinker://` path or run folder in the configuration. @throws AppError `run-not-found`, `no-such-checkpoint` */
  readonly samplerPathOf: (given: string) => Promise<string>;
  /** True for a checkpoint path that a session of this run saved; nothing else may be deleted. */
  readonly isOwn: (path: string) => boolean;
  readonly chat: Chat;
  /** How others fared in the tasks of a split; empty when unknown. Absent when no service may be asked. */
  readonly knownDifficulty?:
    | ((split: {
        readonly environment: string;
        readonly split: string;
      }) => Promise<readonly TaskDifficulty[]>)
    | undefined;
  /** By full name, including those of evaluations. */
  readonly environments: ReadonlyMap<string, PreparedEnvironment>;
}

/** Null unless all prices are known. */
export function pricesOf({ config, listPrices }: Pick<RunContext, "config" | "listPrices">) {
  return config.prices ?? listPrices;
}

/** The run folder. */
export interface RunStorage {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
  readonly store: RolloutStore;
  readonly usage: UsageLog;
  /** Number of this attempt, from 1: one continuous execution of the run. */
  readonly attempt: number;
  /** Name of the stage when several stages are trained together with one budget; otherwise null. */
  readonly stage: string | null;
}

/** How the run reports to the outside. */
export interface RunReporting {
  readonly events: EventLog;
  readonly watch: Watcher;
  readonly log: Log;
  /** Knows every secret of the run; everything written passes through it. */
  readonly redactor: Redactor;
  /** Records the run's current phase in `run.json`. */
  readonly enterPhase: (phase: RunPhase) => Promise<void>;
}

/** An environment with the settings of its rollouts. */
export interface PreparedEnvironment {
  readonly remote: RemoteEnvironment;
  readonly settings: RolloutSettings;
  readonly gate: EnvironmentGate;
  /** Null or absent when the built-in loop plays it. */
  readonly agent?: Agent | null;
  /** Inputs to the settings that stay the same when settings change during the run. */
  readonly given: RolloutInputs;
}

/** Concurrency limits for the whole run. */
export interface RunLimits {
  readonly rollouts: Limiter;
  readonly samples: Limiter;
}

export function runLimits(config: Config): RunLimits {
  const { rollouts, samples } = limitsOf(config);
  return { rollouts: new Limiter(rollouts), samples: new Limiter(samples) };
}

/** Concurrent rollouts and samples that the configuration allows. */
export function limitsOf(config: Config): Readonly<Record<keyof RunLimits, number>> {
  return { rollouts: maxConcurrentRollouts(config), samples: maxConcurrentSamples(config) };
}

/** @throws AppError `environment-not-prepared`, which is a bug */
export function environmentOf(
  { services }: { readonly services: Pick<PlayContext["services"], "environments"> },
  name: string,
): PreparedEnvironment {
  const environment = services.environments.get(name);
  if (environment === undefined) {
    throw new AppError("environment-not-prepared", `Environment ${name} was not prepared.`);
  }
  return environment;
}
