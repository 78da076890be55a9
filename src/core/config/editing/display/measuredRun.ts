/** What a run of a configuration measured, as inlay hints show it. Null means that the run did not measure it. */

export interface MeasuredRun {
  readonly name: string;
  /** False once it has ended, even before its last planned step. */
  readonly isLive: boolean;
  /** Completed steps. */
  readonly steps: number;
  /** Null when endless or unknown. */
  readonly totalSteps: number | null;
  /** The number of final steps that the means below cover. */
  readonly measuredSteps: number;
  /** The configuration of the run with all defaults; undefined when it cannot be read. */
  readonly settings: unknown;
  /** Means per step. */
  readonly step: {
    /** Tokens of all kinds. */
    readonly tokens: number | null;
    readonly costUsd: number | null;
    readonly seconds: number | null;
    readonly gradientNorm: number | null;
  };
  /** Totals over all steps and evaluations. */
  readonly used: {
    readonly tokens: number | null;
    readonly costUsd: number | null;
    /** Over all its attempts. */
    readonly seconds: number | null;
  };
  /** Totals over all evaluations; null without evaluations. */
  readonly evaluation: {
    /** Share of all tokens that the run used. */
    readonly tokenShare: number | null;
    readonly costUsd: number | null;
  };
  /** Estimated time until its last step. */
  readonly secondsLeft: number | null;
  /** At the last step. */
  readonly learningRate: number | null;
  /** Mean over the last steps. */
  readonly reward: number | null;
  readonly turns: {
    /** Share cut off by `max_response_tokens`. */
    readonly cut: number | null;
    readonly meanTokens: number | null;
    readonly mostTokens: number | null;
  };
  readonly rollouts: {
    /** Share ended by `max_total_tokens`. */
    readonly full: number | null;
    readonly meanTokens: number | null;
    readonly mostTokens: number | null;
    /** Share ended by `rollout_timeout`. */
    readonly timedOut: number | null;
  };
  /** Share of groups whose rewards differ; only these provide a training signal. */
  readonly mixedGroups: number | null;
  /** By full name. */
  readonly environments: Readonly<Record<string, MeasuredEnvironment>>;
}

export interface MeasuredEnvironment {
  readonly reward: number | null;
  readonly success: number | null;
  readonly meanTurns: number | null;
  /** Share ended by `max_turns`. */
  readonly outOfTurns: number | null;
}
