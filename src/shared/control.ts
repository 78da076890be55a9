/**
 * The control protocol of a running trainer: JSON lines over its socket. A request gets a reply with the same `id`; attached connections
 * also get a notice whenever the status changes.
 */

import type { RunPhase, SweepMember } from "./runFile.ts";
import type { Trend } from "./trend.ts";

export const CONTROL_VERSION = 1;

export type ControlCommand =
  /** Query the status. */
  | { readonly action: "status" }
  /** Send notices to this connection from now on. While an editor is attached, the run does not treat it as gone. */
  | { readonly action: "attach" }
  /** Pause after the current step. */
  | { readonly action: "pause" }
  | { readonly action: "continue" }
  /** Save the last completed step without interrupting training. */
  | { readonly action: "save" }
  /** Abandon the current step, save the last completed one, and exit. */
  | { readonly action: "stop" }
  /** Exit without saving. */
  | { readonly action: "stop-now" }
  /** New values for tunable keys, each as `key=value`; they take effect with the next step. */
  | { readonly action: "change-settings"; readonly settings: readonly string[] };

export type ControlAction = ControlCommand["action"];

export type ControlRequest = ControlCommand & {
  readonly version: typeof CONTROL_VERSION;
  readonly id: number;
  readonly token: string;
};

export interface RunStatus {
  readonly pid: number;
  readonly phase: RunPhase;
  /** Current part of the preparation, as display text; null once the run is prepared. */
  readonly preparing: string | null;
  /** Null before the run has a folder. */
  readonly folder: string | null;
  /** Completed steps. */
  readonly step: number;
  /** Null = endless, or not known yet. */
  readonly totalSteps: number | null;
  /** Rollouts of the current step; null between steps. */
  readonly rollouts: RolloutCount | null;
  /** Rollouts of the current evaluation; null when there is none. */
  readonly evaluated: (RolloutCount & { readonly isBesideStep: boolean }) | null;
  /** Mean reward of the last completed step; null if fewer than 90% of its rollouts are scored. */
  readonly rewardMean: number | null;
  /** Trend of the mean reward up to that step; null before the first step of this attempt. */
  readonly trend: Trend | null;
  /** Number of attached connections. */
  readonly attached: number;
}

export interface RolloutCount {
  readonly done: number;
  readonly total: number;
}

export type ControlReply =
  | {
      readonly id: number;
      readonly ok: true;
      /** What will happen, as a sentence. */
      readonly message: string;
      readonly status: RunStatus;
    }
  | { readonly id: number; readonly ok: false; readonly code: string; readonly message: string };

export interface ControlNotice {
  readonly notice: "status";
  readonly status: RunStatus;
}

/** `launch.json`: the record of a trainer started by an editor, for the time before it has a run folder and after it exits. */
export interface LaunchFile {
  readonly schemaVersion: 1;
  readonly pid: number;
  readonly control: { readonly address: string; readonly tokenPath: string } | null;
  /** Null before the run has a folder. */
  readonly folder: string | null;
  /** Null while the trainer is running. */
  readonly exitCode: number | null;
  /** Why it failed; null when it did not. */
  readonly error: LaunchError | null;
}

export interface LaunchError {
  readonly code: string;
  /** As printed, with secrets redacted; several lines when the configuration has several errors. */
  readonly message: string;
  /** With the code `key-host-not-allowed`: the key that would have been sent to `host`. */
  readonly key?: string | undefined;
  readonly host?: string | undefined;
  /** With `key-missing`: the variable without a key. */
  readonly name?: string | undefined;
  /** Path from the configuration's root to the value at fault, if there is one. */
  readonly keys?: readonly string[] | undefined;
  /** Settings to change that may fix the error. */
  readonly edits?:
    | readonly { readonly path: readonly string[]; readonly value: number }[]
    | undefined;
}

/** What to train: a new run, unless `resume` is the folder of a run to continue. */
export interface RequestedTraining {
  /** Absolute. */
  readonly configPath: string;
  /** Absolute. */
  readonly resume: string | null;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  /** The digest of the configuration for which the keys were chosen; null if it could not be read. */
  readonly digest: string | null;
  /** Absent for a run outside a sweep. */
  readonly sweep?: SweepMember | undefined;
  /** Absent = train. */
  readonly instead?: InsteadOfTraining | undefined;
}

/** What a trainer does with a configuration instead of training. */
export type InsteadOfTraining =
  /** Evaluates models. With none given: the base model, plus the configuration's run if there is one. */
  | { readonly kind: "evaluate"; readonly models: readonly string[] }
  /** Runs everything up to the first update. */
  | { readonly kind: "dry_run" }
  /** Estimates the time and cost of a training or a sweep, from a past run or, without one, from groups that are played for it. */
  | {
      readonly kind: "estimate";
      /** Each `key=value,value`; empty = a single training. */
      readonly grid: readonly string[];
    };

export interface RequestedKey {
  readonly value: string;
  /** Where the editor found the key. */
  readonly origin: "store" | "process";
  /** The host it may be sent to; null = the official one. */
  readonly host: string | null;
}

/** What an editor passes to a trainer over standard input, as one line of JSON. None of it is ever written to disk. */
export interface LaunchRequest {
  readonly version: typeof CONTROL_VERSION;
  readonly training: RequestedTraining;
  /** All keys by variable name, except those in `envFile`. */
  readonly keys: Readonly<Record<string, RequestedKey>>;
  /** Additional origins to which individual keys may be sent, as approved by the user. */
  readonly allowedOrigins: readonly { readonly origin: string; readonly key: string }[];
  /** Variables other than keys, for example the address of a service; those of the process are ignored. */
  readonly variables: Readonly<Record<string, string>>;
  /** Real path of the `NAME=value` file that may be read; null = none. */
  readonly envFile: string | null;
  /** What to do after no editor has been attached for a minute. */
  readonly onQuit: "keep running" | "stop and save";
}
