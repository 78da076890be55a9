/** Requests of a terminal or an editor to the trainer. */

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
  /** Settings that override the file's, each as `key=value`; on a resume they come after those that the run already has. */
  readonly overrides?: readonly string[];
  /** Origins to which the user allows keys to be sent; absent = no others. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
  /** Present when an editor started this trainer. */
  readonly launch?: EditorLaunch;
  /** Learns the run's secrets, so that errors printed outside of the run can be redacted. */
  readonly redactor?: Redactor;
  /** Folder of engine, environments, and model; default: next to the running program. */
  readonly programFolder?: string;
}

/** Sent by an editor with the start. */
export interface EditorLaunch {
  readonly launchRequest: LaunchRequest;
  /** Called when the run has a folder and when the trainer listens; `launch.json` is updated accordingly. */
  readonly onPlace: (place: LaunchPlace) => void;
}

export type LaunchPlace = Partial<Pick<LaunchFile, "control" | "folder">>;

export interface TrainRequest extends RunRequest {
  /** Path of the YAML or JSON file. */
  readonly configPath: string;
  /** Absent for a single run. */
  readonly sweep?: SweepMember | undefined;
}

export interface ResumeRequest extends RunRequest {
  /** Folder of the run. */
  readonly folder: string;
  /** A configuration that the user names for it; absent = the one named in the folder. */
  readonly named?: NamedConfig | undefined;
}

export interface DryRunRequest extends RunRequest, Pick<TrainRequest, "configPath"> {
  /** Number of tasks to play. */
  readonly groups: number;
  /** True to keep the folder among the runs. */
  readonly isKept: boolean;
  /** Called with the complete folder and the estimate for the whole training run. */
  readonly onPlayed: (folder: string, report: EstimateReport) => Promise<void>;
}

export interface EstimateRequest extends RunRequest, Pick<TrainRequest, "configPath"> {
  /** Folder of the run to base it on; null = the newest with the same environments and model, or else groups played for it. */
  readonly from: string | null;
  /** Average number of groups to play per environment; null = none if there is such a run. */
  readonly groups: number | null;
  /** `key=value,value` each, for the runs of a sweep; absent or empty = a single run. */
  readonly grid?: readonly string[];
  readonly onEstimate: (report: EstimateReport) => void;
}

export interface EvaluateRequest extends RunRequest {
  /**
   * Checkpoints, run folders (also `FOLDER@STEP`), and the base model, in display order; none = the base model and the run of the
   * configuration.
   */
  readonly models: readonly string[];
  /** Null = the configuration of the first run folder among the models. */
  readonly configPath: string | null;
  /** Folder of a run whose configuration and overrides are used instead; absent = none. */
  readonly run?: string;
  /** `SPLIT` for all configured environments, or `ENVIRONMENT=SPLIT,SPLIT` each; none = those of the configuration. */
  readonly splits: readonly string[];
  /** True = play the training splits instead of the evaluation's; absent = no. */
  readonly isCollecting?: boolean;
}

/** A run in progress. */
export interface ActiveRun {
  /** Resolves when the run has ended and everything is closed; rejects with an AppError if it failed. */
  readonly ended: Promise<RunEnd>;
  /** Abandons unfinished rollouts, saves the last completed step, and ends. */
  stopAndSave(): void;
  /** Ends immediately; the run can be resumed from its last checkpoint. */
  stopNow(): void;
}

export interface RunEnd {
  readonly outcome: "done" | "stopped" | "interrupted";
  /** Null if the run ended before it had a folder. */
  readonly folder: string | null;
  /** The reason, as in `run.json`; absent if the run completed its plan. */
  readonly ending?: RunEnding;
}
