/**
 * What is said to a trainer while it runs, line by line as JSON over its socket: a request, its reply with the same `id`, and for
 * those who are attached a notice whenever something has changed.
 */

import type { RunPhase, SweepMember } from "./runFile.ts";
import type { Trend } from "./trend.ts";

export const CONTROL_VERSION = 1;

export type ControlCommand =
  /** What is it doing? */
  | { readonly action: "status" }
  /** From now on this connection gets notices; an editor that attaches keeps a run from taking it as gone. */
  | { readonly action: "attach" }
  /** Wait after the step in progress. */
  | { readonly action: "pause" }
  | { readonly action: "continue" }
  /** Save the last completed step without holding anything up. */
  | { readonly action: "save" }
  /** Give up the step in progress, save the last completed one, end. */
  | { readonly action: "stop" }
  /** End without saving. */
  | { readonly action: "stop-now" }
  /** New values for tunable keys, each as `key=value`; they hold from the next step on. */
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
  /** The part of the preparation in progress, in words for people; null once the run is prepared. */
  readonly preparing: string | null;
  /** Null before the run has a folder. */
  readonly folder: string | null;
  /** Completed steps. */
  readonly step: number;
  /** Null = endless, or not known yet. */
  readonly totalSteps: number | null;
  /** Rollouts of the step in progress; null between steps. */
  readonly rollouts: RolloutCount | null;
  /** Rollouts of the evaluation in progress; null when there is none. */
  readonly evaluated: (RolloutCount & { readonly isBesideStep: boolean }) | null;
  /** Mean reward of the last completed step. */
  readonly rewardMean: number | null;
  /** The trend of the mean reward until that step; null before the first step of this attempt. */
  readonly trend: Trend | null;
  /** Connections that are attached. */
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

/** `launch.json`: what a trainer that an editor started says of itself, before it has a run folder and after its end. */
export interface LaunchFile {
  readonly schemaVersion: 1;
  readonly pid: number;
  readonly control: { readonly address: string; readonly tokenPath: string } | null;
  /** Null before the run has a folder. */
  readonly folder: string | null;
  /** Null while the trainer lives. */
  readonly exitCode: number | null;
  /** What went wrong; null when nothing did. */
  readonly error: LaunchError | null;
}

export interface LaunchError {
  readonly code: string;
  /** As printed, cleaned of secrets; several lines for a configuration with several faults. */
  readonly message: string;
  /** With the code `key-host-not-allowed`: the key that would have gone to `host`. */
  readonly key?: string | undefined;
  readonly host?: string | undefined;
  /** With `key-missing`: the variable that holds no key. */
  readonly name?: string | undefined;
  /** Keys from the configuration's root to the value at fault, where there is one. */
  readonly keys?: readonly string[] | undefined;
  /** Settings that may help. */
  readonly edits?:
    | readonly { readonly path: readonly string[]; readonly value: number }[]
    | undefined;
}

/** What is to be trained; a new run unless `resume` names the folder of one to continue with. */
export interface RequestedTraining {
  /** Absolute. */
  readonly configPath: string;
  /** Absolute. */
  readonly resume: string | null;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  /** The digest of the configuration that the keys were chosen for; null if it could not be read. */
  readonly digest: string | null;
  /** Absent for a run of its own. */
  readonly sweep?: SweepMember | undefined;
  /** Absent = train. */
  readonly instead?: InsteadOfTraining | undefined;
}

/** What a trainer does with a configuration other than train. */
export type InsteadOfTraining =
  /** Measures models; none named = the base model, and the run of the configuration where there is one. */
  | { readonly kind: "evaluate"; readonly models: readonly string[] }
  /** Plays everything up to the first update. */
  | { readonly kind: "dry_run" }
  /** Says what a training is going to take: from a past run, or from groups that are played where there is none. */
  | { readonly kind: "estimate" };

export interface RequestedKey {
  readonly value: string;
  /** Where the editor found it. */
  readonly origin: "store" | "process";
  /** The host that it may go to; null = the official one. */
  readonly host: string | null;
}

/** What an editor hands a trainer over its standard input, as one line of JSON. Nothing of it is ever written down. */
export interface LaunchRequest {
  readonly version: typeof CONTROL_VERSION;
  readonly training: RequestedTraining;
  /** Keys by the name of their variable, all that there are but for those of `envFile`. */
  readonly keys: Readonly<Record<string, RequestedKey>>;
  /** Where single keys may go beside their own host, by the user's approval. */
  readonly allowedOrigins: readonly { readonly origin: string; readonly key: string }[];
  /** Variables that are no keys, for example the address of a service; those of the process do not count. */
  readonly variables: Readonly<Record<string, string>>;
  /** Real path of the file with `NAME=value` lines that may be read; null = none. */
  readonly envFile: string | null;
  /** What to do when no editor has been attached for a minute. */
  readonly onQuit: "keep running" | "stop and save";
}
