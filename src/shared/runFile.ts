/** The shape of `run.json`: who runs a training, whether it is alive, and which version of its files counts. */

export type RunOwner = "terminal" | "editor";

export type RunPhase =
  | "preparing"
  | "running"
  | "pausing"
  | "paused"
  | "finishing"
  | "done"
  | "failed"
  | "stopped";

export interface RunFile {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly name: string;
  /** Process id of the trainer that runs it, or ran it last. */
  readonly pid: number;
  /** The computer on which it runs. */
  readonly host: string;
  readonly owner: RunOwner;
  /** Start of the present attempt, milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  /** Rises when files of the folder were changed other than by growing: whoever follows them reads again. */
  readonly generation: number;
  /** Counts continuous executions, from 1. */
  readonly attempt: number;
  readonly phase: RunPhase;
  readonly configPath: string;
  /** Where the trainer listens for commands; null when it does not. */
  readonly control: ControlAddress | null;
  /** Why the present attempt ended before the run was done; absent while it continues. */
  readonly ending?: RunEnding;
  /** The sweep that the run belongs to; absent for a run of its own. */
  readonly sweep?: SweepMember | undefined;
  /** Present where the folder holds an evaluation by itself, and no training. */
  readonly evaluation?: EvaluationPlan | undefined;
}

/** What an evaluation by itself measures. */
export interface EvaluationPlan {
  readonly models: readonly PlannedModel[];
  /** The digest of the models and all settings: only an evaluation with the same digest continues in the folder. */
  readonly digest: string;
}

export interface PlannedModel {
  /** As people call it; no other one of the evaluation is called the same. */
  readonly name: string;
  /** A checkpoint to sample from; null = the base model. */
  readonly path: string | null;
  /** Completed steps, as far as its name says; 0 for the base model. */
  readonly step: number;
}

/** The place of a run in a sweep. */
export interface SweepMember {
  readonly id: string;
  readonly name: string;
  /** Which combination of the grid, from 0. */
  readonly combination: number;
  /** How many combinations the grid has. */
  readonly combinations: number;
  /** The settings of that combination, `key=value` each. */
  readonly settings: readonly string[];
}

/** The name of the stage that the run is of a configuration with stages; null for any other run. */
export function stageOf(member: Pick<SweepMember, "settings"> | undefined): string | null {
  const [setting, ...others] = member?.settings ?? [];
  return others.length === 0 && setting?.startsWith("stage=") === true
    ? setting.slice("stage=".length)
    : null;
}

/** Without secrets. */
export interface RunEnding {
  /** The code of an error; `stopped` if a user stopped it, `bug` for a bug in the program. */
  readonly code: string;
  /** What happened, and what to do next. */
  readonly message: string;
}

/** How to reach a trainer (see `control.ts`). */
export interface ControlAddress {
  /** Path of a socket, or name of a pipe. */
  readonly address: string;
  /** File that only its owner can read; each connection shows what it holds. */
  readonly tokenPath: string;
}
