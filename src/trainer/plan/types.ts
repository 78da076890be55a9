/** What a terminal or an editor asks of the trainer. */

import type { EstimateReport } from "../../core/estimate/report.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import type { NamedConfig } from "../../node/startConfig.ts";
import type { LaunchFile, LaunchRequest } from "../../shared/control.ts";
import type { RunEnding, RunOwner, SweepMember } from "../../shared/runFile.ts";

export interface RunRequest {
  readonly owner: RunOwner;
  readonly watch: Watcher;
  /** Settings over those of the file, each as `key=value`; a resumed run keeps those it had, these come after them. */
  readonly overrides?: readonly string[];
  /** Where keys may go by the user's word; absent = nowhere else. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
  /** Present when an editor started this trainer. */
  readonly launch?: EditorLaunch;
  /** Learns the run's secrets, so that errors which are printed outside of the run can be redacted. */
  readonly redactor?: Redactor;
  /** Where engine, environments and model lie; default: beside the running program. */
  readonly programFolder?: string;
}

/** What an editor gave with the start. */
export interface EditorLaunch {
  readonly launchRequest: LaunchRequest;
  /** Called when the run has a folder, and when the trainer listens; `launch.json` follows it. */
  readonly onPlace: (place: LaunchPlace) => void;
}

export type LaunchPlace = Partial<Pick<LaunchFile, "control" | "folder">>;

export interface TrainRequest extends RunRequest {
  /** Path of the YAML or JSON file. */
  readonly configPath: string;
  /** Absent for a run of its own. */
  readonly sweep?: SweepMember | undefined;
}

export interface ResumeRequest extends RunRequest {
  /** Folder of the run. */
  readonly folder: string;
  /** The configuration that the user names for it; absent = the one that the folder names. */
  readonly named?: NamedConfig | undefined;
}

export interface DryRunRequest extends RunRequest, Pick<TrainRequest, "configPath"> {
  /** Tasks to play. */
  readonly groups: number;
  /** True to leave the folder where runs lie. */
  readonly isKept: boolean;
  /** Called with the folder when everything is in it, and with what the whole training is going to take. */
  readonly onPlayed: (folder: string, report: EstimateReport) => Promise<void>;
}

export interface EstimateRequest extends RunRequest, Pick<TrainRequest, "configPath"> {
  /** Folder of the run that it rests on; null = the newest of the same environments and model, or groups that are played for it. */
  readonly from: string | null;
  /** To play in each environment, on average; null = none where there is such a run. */
  readonly groups: number | null;
  readonly onEstimate: (report: EstimateReport) => void;
}

export interface EvaluateRequest extends RunRequest {
  /**
   * Checkpoints, run folders (also `FOLDER@STEP`) and the base model, in the order in which they are shown; none = the base model and
   * the run of the configuration.
   */
  readonly models: readonly string[];
  /** Null = the configuration of the first run folder among the models. */
  readonly configPath: string | null;
  /** Folder of a run whose configuration and overrides are taken instead; absent = none. */
  readonly run?: string;
  /** `SPLIT` of all environments of the configuration, or `ENVIRONMENT=SPLIT,SPLIT` each; none = those of the configuration. */
  readonly splits: readonly string[];
  /** True = the splits that the configuration trains on, without what it evaluates; absent = no. */
  readonly isCollecting?: boolean;
}

/** A run in progress. */
export interface ActiveRun {
  /** Resolves when the run has ended and everything is closed; rejects with an AppError when it failed. */
  readonly ended: Promise<RunEnd>;
  /** Gives up unfinished rollouts, saves the last completed step, ends. */
  stopAndSave(): void;
  /** Ends at once; the run can be resumed from its last checkpoint. */
  stopNow(): void;
}

export interface RunEnd {
  readonly outcome: "done" | "stopped" | "interrupted";
  /** Null when the run ended before it had a folder. */
  readonly folder: string | null;
  /** Why, as in `run.json`; absent for a run that came to the end of its plan. */
  readonly ending?: RunEnding;
}
