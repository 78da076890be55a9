/** What the steps of a prepared run share, divided by what it serves: a function takes the contexts that it needs. */

import type { RunPhase } from "../../../shared/runFile.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Chat } from "../../chat/chat.ts";
import { rolloutsAtOnce, samplesAtOnce } from "../../config/fields/presets.ts";
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
import type { Watcher } from "./progress.ts";

/** Everything about a run; `config`, `totalSteps` and the environments' settings are those in force. */
export interface RunContext {
  readonly config: Config;
  readonly sequence: TaskSequence;
  /** What a supervised run imitates, which the items of the sequence point to; absent for reinforcement learning. */
  readonly examples?: ExampleSet | undefined;
  /** Null = endless. */
  readonly totalSteps: number | null;
  /** The vendor's prices, used if the configuration has none; null if not all of them are known. */
  readonly listPrices: Prices | null;
  readonly limits: RunLimits;
  readonly control: RunControl;
  readonly ports: RunPorts;
  readonly services: RunServices;
  readonly storage: RunStorage;
  readonly reporting: RunReporting;
}

/** The part of a run that plays rollouts; an evaluation by itself has no model that is trained. */
export interface PlayContext extends Omit<RunContext, "services"> {
  readonly services: Omit<RunServices, "client">;
}

export interface RunPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: Sha256;
  /** Lag of the event loop since this was last called: 99th percentile in milliseconds; null when not known. */
  readonly takeLagMs?: () => number | null;
}

/** The model, and the environments that it is trained in. */
export interface RunServices {
  readonly service: ServiceClient;
  readonly client: TrainingClient;
  /** The sampler that `tinker://` paths and run folders of a configuration name. @throws AppError `run-not-found`, `no-such-checkpoint` */
  readonly samplerPathOf: (given: string) => Promise<string>;
  /** True for the address of a checkpoint that a session of this run saved: nothing else may be deleted. */
  readonly isOwn: (path: string) => boolean;
  readonly chat: Chat;
  /** How others fared in the tasks of a split; empty where that is not known. Absent = no service is asked. */
  readonly knownDifficulty?:
    | ((split: {
        readonly environment: string;
        readonly split: string;
      }) => Promise<readonly TaskDifficulty[]>)
    | undefined;
  /** By full name, those of the evaluation included. */
  readonly environments: ReadonlyMap<string, PreparedEnvironment>;
}

/** Null when not all prices are known. */
export function pricesOf({ config, listPrices }: Pick<RunContext, "config" | "listPrices">) {
  return config.prices ?? listPrices;
}

/** The run folder. */
export interface RunStorage {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
  readonly store: RolloutStore;
  readonly usage: UsageLog;
  /** Continuous execution of the run that this is, from 1. */
  readonly attempt: number;
  /** Of those that are trained together, with one budget; null for any other run. */
  readonly stage: string | null;
}

/** What others learn of the run. */
export interface RunReporting {
  readonly events: EventLog;
  readonly watch: Watcher;
  readonly log: Log;
  /** Knows every secret of the run; whatever is written passes it. */
  readonly redactor: Redactor;
  /** Writes down in `run.json` what the run is doing. */
  readonly enterPhase: (phase: RunPhase) => Promise<void>;
}

/** An environment with the settings of its rollouts. */
export interface PreparedEnvironment {
  readonly remote: RemoteEnvironment;
  readonly settings: RolloutSettings;
  readonly gate: EnvironmentGate;
  /** None = the loop of turns and tools plays it. */
  readonly agent?: Agent | null;
  /** What stays the same when settings change while the run continues. */
  readonly given: RolloutInputs;
}

/** Bounds over everything a run does at once. */
export interface RunLimits {
  readonly rollouts: Limiter;
  readonly samples: Limiter;
}

export function runLimits(config: Config): RunLimits {
  const { rollouts, samples } = limitsOf(config);
  return { rollouts: new Limiter(rollouts), samples: new Limiter(samples) };
}

/** Rollouts and samples that the configuration allows at once. */
export function limitsOf(config: Config): Readonly<Record<keyof RunLimits, number>> {
  return { rollouts: rolloutsAtOnce(config), samples: samplesAtOnce(config) };
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
