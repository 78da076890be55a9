/** The table of the tasks of a curriculum, of which a page of rows is sent at a time. */

export const TASK_POOLS = ["open", "hard", "solved"] as const;
export type TaskPool = (typeof TASK_POOLS)[number];

export const TASK_COLUMNS = ["name", "pool", "success", "rollouts", "tokens", "step"] as const;
export type TaskColumn = (typeof TASK_COLUMNS)[number];

export interface TaskQuery {
  /** Words that the name holds, in any case. */
  readonly text: string;
  /** Null = all. */
  readonly pool: TaskPool | null;
  readonly column: TaskColumn;
  readonly isDescending: boolean;
  /** Page of {@link TASKS_PER_PAGE}, from 0; one behind the last is the last. */
  readonly page: number;
}

export interface TaskTableRow {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  readonly pool: TaskPool;
  /** Expected of the next rollout, 0 to 1. */
  readonly success: number;
  /** Those that still count. */
  readonly rollouts: number;
  /** Mean of a rollout. */
  readonly tokens: number;
  /** The last step that trained it, from 0. */
  readonly step: number;
}

export interface TaskPage {
  /** Completed steps of the save that it is read from; null = there is none yet. */
  readonly completed: number | null;
  readonly counts: Readonly<Record<TaskPool, number>>;
  /** Tasks that match. */
  readonly matching: number;
  readonly page: number;
  readonly rows: readonly TaskTableRow[];
}

export const TASKS_PER_PAGE = 50;
