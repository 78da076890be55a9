/** The shape of `run.json`: who runs a training, whether it is alive, and the current generation of its files. */

export type RunOwner = "terminal" | "editor";

export const RUN_PHASES = [
  "preparing",
  "running",
  "pausing",
  "paused",
  "finishing",
  "done",
  "failed",
  "stopped",
  "dropped",
] as const;

/** `dropped`: stopped, and its sweep trains it no further. */
export type RunPhase = (typeof RUN_PHASES)[number];

export interface RunFile {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly name: string;
  /** Process id of the current or last trainer. */
  readonly pid: number;
  /** Host name of the computer it runs on. */
  readonly host: string;
  readonly owner: RunOwner;
  /** Start of the current attempt, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  /** Incremented when files in the folder change other than by appending; readers that follow them must start over. */
  readonly generation: number;
  /** Number of the current uninterrupted execution, from 1. */
  readonly attempt: number;
  readonly phase: RunPhase;
  readonly configPath: string;
  /** Where the trainer listens for commands; null when it does not. */
  readonly control: ControlAddress | null;
  /** Why the current attempt ended early; absent while it is running. */
  readonly ending?: RunEnding;
  /** The sweep that the run belongs to; absent for a run outside a sweep. */
  readonly sweep?: SweepMember | undefined;
  /** Present if the folder holds a standalone evaluation instead of a training. */
  readonly evaluation?: EvaluationPlan | undefined;
}

/** The plan of a standalone evaluation. */
export interface EvaluationPlan {
  readonly models: readonly PlannedModel[];
  /** Digest of the models and all settings; only an evaluation with the same digest can continue in the folder. */
  readonly digest: string;
}

export interface PlannedModel {
  /** Display name, unique within the evaluation. */
  readonly name: string;
  /** A checkpoint to sample from; null = the base model. */
  readonly path: string | null;
  /** Completed steps, according to its name; 0 for the base model. */
  readonly step: number;
}

/** A run's position in a sweep. */
export interface SweepMember {
  readonly id: string;
  readonly name: string;
  /** Index of the combination in the grid, from 0. */
  readonly combination: number;
  /** Number of combinations in the grid. */
  readonly combinations: number;
  /** That combination's settings, each `key=value`. */
  readonly settings: readonly string[];
  /** Present once it trains with other values of these settings: it no longer counts, even if they are changed back. */
  readonly left?: SweepChange | undefined;
}

/** A change of settings that the sweep varies. */
export interface SweepChange {
  /** Completed steps. */
  readonly step: number;
  readonly keys: readonly string[];
}

/** Identifies the files of a run folder: while it is the same, they only grow. A later run in a reused folder has another one. */
export function filesId({ runId, generation }: Pick<RunFile, "runId" | "generation">): string {
  return `${runId} ${generation}`;
}

/** The stage name, if the run is one stage of a configuration with stages; null otherwise. */
export function stageOf(member: Pick<SweepMember, "settings"> | undefined): string | null {
  const [setting, ...others] = member?.settings ?? [];
  return others.length === 0 && setting?.startsWith("stage=") === true
    ? setting.slice("stage=".length)
    : null;
}

/** The changed keys that the run's sweep varies, without `stop_at_step`, which does not change the training. */
export function sweptKeys(
  member: Pick<SweepMember, "settings"> | undefined,
  changed: readonly string[],
): readonly string[] {
  const swept = (member?.settings ?? [])
    .map((setting) => setting.slice(0, setting.indexOf("=")))
    .filter((key) => key !== "stop_at_step");
  return changed.filter((key) =>
    swept.some((own) => `${own}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${own}.`)),
  );
}

/** The member once `changed` settings are in force after `step` completed steps. */
export function afterChange(
  member: SweepMember | undefined,
  { keys: changed, step }: SweepChange,
): SweepMember | undefined {
  const keys = member?.left?.keys ?? sweptKeys(member, changed);
  if (member === undefined || keys.length === 0) return member;
  // A resume may repeat steps from before the change.
  return { ...member, left: { step: Math.min(member.left?.step ?? step, step), keys } };
}

/** Contains no secrets. */
export interface RunEnding {
  /** An error code; `stopped` if a user stopped the run, `bug` for a bug in the program. */
  readonly code: string;
  /** What happened, and what to do next. */
  readonly message: string;
}

/** How to reach a trainer (see `control.ts`). */
export interface ControlAddress {
  /** Path of a socket, or name of a pipe. */
  readonly address: string;
  /** File readable only by its owner; each connection authenticates with its content. */
  readonly tokenPath: string;
}
