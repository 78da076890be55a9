/** What every part of a prepared run shares. */

import type { RunPhase } from "../../shared/runFile.ts";
import type { Renderer } from "../chat/renderer.ts";
import type { Tokenizer, TokenizerOrigin } from "../chat/tokenizer.ts";
import type { Config } from "../config/schema.ts";
import { AppError } from "../errors.ts";
import type { RemoteEnvironment } from "../openreward/types.ts";
import type { Clock, FolderFiles, Log, Random, Sha256 } from "../ports.ts";
import type { EnvironmentGate } from "../rollout/environmentGate.ts";
import type { RolloutInputs, RolloutSettings } from "../rollout/settings.ts";
import type { EventLog } from "../runFolder/events.ts";
import type { RolloutStore } from "../runFolder/rolloutStore.ts";
import type { Redactor } from "../secrets/redaction/redactor.ts";
import type { ServiceClient } from "../tinker/serviceClient.ts";
import type { TrainingClient } from "../tinker/trainingClient.ts";
import { Limiter } from "../util/limiter.ts";
import type { RunControl } from "./control.ts";
import type { TaskSequence } from "./dataset.ts";
import type { Watcher } from "./progress.ts";

export interface LoopPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sha256: Sha256;
  readonly fileSystem: FolderFiles;
}

/** An environment with the settings of its rollouts. */
export interface PreparedEnvironment {
  readonly remote: RemoteEnvironment;
  readonly settings: RolloutSettings;
  readonly gate: EnvironmentGate;
  /** What stays the same when settings change while the run goes on. */
  readonly given: RolloutInputs;
}

export interface Chat {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  readonly origin?: TokenizerOrigin;
}

export interface RunContext extends LoopPorts, Chat {
  readonly config: Config;
  /** The run folder. */
  readonly folder: string;
  readonly store: RolloutStore;
  readonly events: EventLog;
  /** Knows every secret of the run; whatever is written passes it. */
  readonly redactor: Redactor;
  readonly service: ServiceClient;
  readonly client: TrainingClient;
  /** By full name, those of the evaluation included. */
  readonly environments: ReadonlyMap<string, PreparedEnvironment>;
  readonly sequence: TaskSequence;
  /** Null = endless. */
  readonly totalSteps: number | null;
  readonly limits: RunLimits;
  readonly control: RunControl;
  readonly watch: Watcher;
  /** Writes down in `run.json` what the run is doing. */
  readonly enterPhase: (phase: RunPhase) => Promise<void>;
  /** Lag of the event loop since the last call: 99th percentile in milliseconds; null when not known. */
  readonly lagMs?: () => number | null;
  /** Continuous execution of the run that this is, from 1. */
  readonly attempt: number;
}

/** A rollout with at least this reward counts as a success. */
export const SUCCESS_REWARD = 1;

/** Bounds over everything a run does at once. */
export interface RunLimits {
  readonly rollouts: Limiter;
  readonly samples: Limiter;
}

export function runLimits(config: Config): RunLimits {
  return {
    rollouts: new Limiter(config.max_rollout_concurrency ?? config.max_active_tasks),
    samples: new Limiter(config.max_samples_in_flight),
  };
}

/** @throws AppError `environment-not-prepared`, which is a bug */
export function environmentOf(context: RunContext, name: string): PreparedEnvironment {
  const environment = context.environments.get(name);
  if (environment === undefined) {
    throw new AppError("environment-not-prepared", `Environment ${name} was not prepared.`);
  }
  return environment;
}
