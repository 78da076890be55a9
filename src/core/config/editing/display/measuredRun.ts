/** What a run of a configuration has measured: what inlay hints rest on. Null stands for what the run has not measured. */

export interface MeasuredRun {
  readonly name: string;
  /** False once it has ended, also before its last step. */
  readonly isLive: boolean;
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless, or not known. */
  readonly totalSteps: number | null;
  /** How many of its last steps the means below are of. */
  readonly measuredSteps: number;
  /** The configuration that it ran with, all defaults filled in; undefined when it cannot be read. */
  readonly settings: unknown;
  /** Means of a step. */
  readonly step: {
    /** Sum over all kinds. */
    readonly tokens: number | null;
    readonly costUsd: number | null;
    readonly seconds: number | null;
    readonly gradientNorm: number | null;
  };
  /** Sums over all steps and evaluations. */
  readonly used: {
    readonly tokens: number | null;
    readonly costUsd: number | null;
    /** In all its attempts. */
    readonly seconds: number | null;
  };
  /** Sums over all evaluations; null where there was none. */
  readonly evaluation: {
    /** Share of the tokens that the run has used. */
    readonly tokenShare: number | null;
    readonly costUsd: number | null;
  };
  /** Until its last step. */
  readonly secondsLeft: number | null;
  /** Values of the last step. */
  readonly learningRate: number | null;
  /** Mean of the last steps. */
  readonly reward: number | null;
  readonly turns: {
    /** Share cut by `max_response_tokens`. */
    readonly cut: number | null;
    readonly meanTokens: number | null;
    readonly mostTokens: number | null;
  };
  readonly rollouts: {
    /** Share that `max_total_tokens` ended. */
    readonly full: number | null;
    readonly meanTokens: number | null;
    readonly mostTokens: number | null;
    /** Share that `rollout_timeout` ended. */
    readonly timedOut: number | null;
  };
  /** Share of groups whose rewards differ: only these teach anything. */
  readonly mixedGroups: number | null;
  /** By full name. */
  readonly environments: Readonly<Record<string, MeasuredEnvironment>>;
}

export interface MeasuredEnvironment {
  readonly reward: number | null;
  readonly success: number | null;
  readonly meanTurns: number | null;
  /** Share that `max_turns` ended. */
  readonly outOfTurns: number | null;
}
