/** What a run is made of before it begins: what it is to do, and what surrounds it. */

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
  /** Absent where the run continues from its newest save. */
  readonly rewind?: Rewind;
}

/** A model that is ready to be trained. */
export interface StartedModel extends RunStart {
  readonly client: TrainingClient;
}

/** What differs between a new run and a resumed one. */
export interface RunPlan {
  readonly loaded: LoadedConfig;
  readonly name: string;
  /** The folder of a resumed run; null for a new one. */
  readonly folder: string | null;
  /** True for a run that gets a folder of its own; another one's is left as it is until the model is there. */
  readonly isNew: boolean;
  readonly createModel: (
    tinker: TinkerConnection,
    preparation: Preparation,
  ) => Promise<StartedModel>;
  /** Claims the folder for what comes after `start`; called once nothing is left that could refuse the run. */
  readonly claim: (start: RunStart) => Promise<RunLease>;
  /** True when the run is done and all there may be to do is to send what its trackers lack; absent = no. */
  readonly isOver?: boolean;
  /** Plans to continue with the run by itself, from its last state; `loaded` are the settings in force. */
  readonly recover: (folder: string, loaded: LoadedConfig) => Promise<RunPlan>;
  /** Where the run stands by its files; its model may be of an earlier step. */
  readonly start: LoopPosition;
  /** The settings that a resume changes; absent = none. */
  readonly changed?: {
    readonly keys: readonly string[];
    readonly values: readonly SettingChange[];
  };
  /** Its id on Weights & Biases as saved with the state; absent = none. */
  readonly wandbRunId?: string | null;
  /** The date that its prompts show, as saved with the state; absent = today. */
  readonly promptDate?: string | undefined;
}

/** What surrounds a run, whatever it trains. */
export interface TrainerOptions {
  readonly programs: LocalPrograms;
  readonly log: Log;
  readonly control: RunControl;
  readonly watch: Watcher;
  readonly cleanup: CleanupStack;
  /** Learns the secrets of the run; whatever is written or thrown passes it. */
  readonly redactor: Redactor;
  /** Where keys may go by the user's word; absent = nowhere else. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
  /** What the editor that started this trainer handed over; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
  /** Receives commands from outside; absent where no one can send any. */
  readonly controlChannel?: ControlChannel;
  /** Called once the run has a folder. */
  readonly onClaim?: (lease: RunLease) => void;
}
