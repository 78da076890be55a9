/** A curriculum's task table, sent one page of rows at a time. */

export const TASK_POOLS = ["open", "hard", "solved"] as const;
export type TaskPool = (typeof TASK_POOLS)[number];

export const TASK_COLUMNS = ["name", "pool", "success", "rollouts", "tokens", "step"] as const;
export type TaskColumn = (typeof TASK_COLUMNS)[number];

export interface TaskQuery {
  /** Words that the name must contain; case is ignored. */
  readonly text: string;
  /** Null = all. */
  readonly pool: TaskPool | null;
  readonly column: TaskColumn;
  readonly isDescending: boolean;
  /** Page of {@link TASKS_PER_PAGE} rows, from 0; clamped to the last page. */
  readonly page: number;
}

export interface TaskTableRow {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  readonly pool: TaskPool;
  /** Expected success rate of the next rollout, 0 to 1. */
  readonly success: number;
  /** Number of rollouts that still count. */
  readonly rollouts: number;
  /** Mean tokens per rollout. */
  readonly tokens: number;
  /** The last step in which it was trained, from 0. */
  readonly step: number;
}

export interface TaskPage {
  /** Completed steps of the save that the table was read from; null = no save yet. */
  readonly completed: number | null;
  readonly counts: Readonly<Record<TaskPool, number>>;
  /** Number of matching tasks. */
  readonly matching: number;
  readonly page: number;
  readonly rows: readonly TaskTableRow[];
}

export const TASKS_PER_PAGE = 50;
