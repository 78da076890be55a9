/** The plan and the surroundings of a run before it starts. */

import type { SettingChange } from "../../core/config/changes.ts";
import type { Log } from "../../core/ports.ts";
import type { Rewind } from "../../core/runFolder/resumePoints.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import type { Preparation } from "../../core/training/prepare.ts";
import type { RunControl } from "../../core/training/run/control.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import type { LoopPosition } from "../../core/training/step/loopPosition.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { ControlChannel } from "../control/controlChannel.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import type { TinkerConnection } from "../services/connections.ts";
import type { LocalPrograms } from "../services/localServices.ts";

export interface RunStart {
  readonly start: LoopPosition;
  /** Absent if the run continues from its newest save. */
  readonly rewind?: Rewind;
}

/** A model that is ready for training. */
export interface StartedModel extends RunStart {
  readonly client: TrainingClient;
}

/** What differs between new and resumed runs. */
export interface RunPlan {
  readonly loaded: LoadedConfig;
  readonly name: string;
  /** The folder of a resumed run; null for a new one. */
  readonly folder: string | null;
  /** True for a run with a folder of its own; an existing folder is left untouched until the model is loaded. */
  readonly isNew: boolean;
  readonly createModel: (
    tinker: TinkerConnection,
    preparation: Preparation,
  ) => Promise<StartedModel>;
  /** Claims the folder for what follows `start`; called once nothing can refuse the run anymore. */
  readonly claim: (start: RunStart) => Promise<RunLease>;
  /** True if the run is done and at most pending tracker data is left to send; absent = no. */
  readonly isOver?: boolean;
  /** Plans the automatic continuation from the last state; `loaded` are the settings in force. */
  readonly recover: (folder: string, loaded: LoadedConfig) => Promise<RunPlan>;
  /** Position of the run by its files; its model may be from an earlier step. */
  readonly start: LoopPosition;
  /** The settings that a resume changes; absent = none. */
  readonly changed?: {
    readonly keys: readonly string[];
    readonly values: readonly SettingChange[];
  };
  /** Weights & Biases run id saved with the state; absent = none. */
  readonly wandbRunId?: string | null;
  /** The date shown in prompts, saved with the state; absent = today. */
  readonly promptDate?: string | undefined;
}

/** The surroundings of a run, whatever it trains. */
export interface TrainerOptions {
  readonly programs: LocalPrograms;
  readonly log: Log;
  readonly control: RunControl;
  readonly watch: Watcher;
  readonly cleanup: CleanupStack;
  /** Learns the run's secrets; everything written or thrown passes through it. */
  readonly redactor: Redactor;
  /** Origins to which the user allows keys to be sent; absent = no others. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
  /** The request of the editor that started this trainer; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
  /** Receives commands from outside; absent if there are none. */
  readonly controlChannel?: ControlChannel;
  /** Called once the run has a folder. */
  readonly onClaim?: (lease: RunLease) => void;
}
