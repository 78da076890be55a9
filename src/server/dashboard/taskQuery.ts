/** Pages of a curriculum's task table. */

import type { FolderFiles } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import {
  type CurriculumTask,
  type CurriculumTasks,
  readCurriculumTasks,
} from "../../core/training/tasks/curriculumTasks.ts";
import { sha256 } from "../../node/hash.ts";
import {
  TASKS_PER_PAGE,
  type TaskColumn,
  type TaskPage,
  type TaskQuery,
  type TaskTableRow,
} from "../../shared/taskTable.ts";

type Counts = Record<CurriculumTask["pool"], number>;

/**
 * The task table of one run. Caches the parsed save: there is a query per keystroke, and parsing a large save takes far longer than reading
 * it.
 */
export class TaskTable {
  readonly #files: FolderFiles;
  readonly #folder: string;
  #known: { readonly digest: string; readonly tasks: CurriculumTasks | null } | null = null;

  constructor(files: FolderFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** @throws AppError `state-invalid`, `state-format` */
  async page(query: TaskQuery): Promise<TaskPage> {
    return pageOf(await this.#tasks(), query);
  }

  async #tasks(): Promise<CurriculumTasks | null> {
    const { state } = runPaths(this.#folder);
    const saved = await this.#files.readText(state, MAX_BYTES.state).catch(() => null);
    const digest = saved === null ? null : sha256(saved);
    if (digest !== null && digest === this.#known?.digest) return this.#known.tasks;
    const tasks = await readCurriculumTasks(this.#files, this.#folder);
    this.#known = digest === null ? null : { digest, tasks };
    return tasks;
  }
}

function pageOf(
  known: CurriculumTasks | null,
  { text, pool, column, isDescending, page }: TaskQuery,
): TaskPage {
  const tasks = known?.tasks ?? [];
  const counts: Counts = { open: 0, hard: 0, solved: 0 };
  for (const task of tasks) counts[task.pool] += 1;
  const words = text.toLowerCase().split(/\s+/);
  const matching = tasks.filter(
    (task) =>
      (pool === null || task.pool === pool) &&
      words.every((word) => task.name.toLowerCase().includes(word)),
  );
  const direction = isDescending ? -1 : 1;
  const sorted = matching.map(rowOf).sort((a, b) => direction * compare(a, b, column));
  const last = Math.max(0, Math.ceil(sorted.length / TASKS_PER_PAGE) - 1);
  const shown = Math.min(page, last);
  return {
    completed: known?.completed ?? null,
    counts,
    matching: sorted.length,
    page: shown,
    rows: sorted.slice(shown * TASKS_PER_PAGE, (shown + 1) * TASKS_PER_PAGE),
  };
}

function compare(a: TaskTableRow, b: TaskTableRow, column: TaskColumn): number {
  if (column === "pool") return compareTexts(a.pool, b.pool);
  if (column !== "name") return a[column] - b[column];
  return (
    compareTexts(a.environment, b.environment) ||
    compareTexts(a.split, b.split) ||
    a.index - b.index
  );
}

/** Compares by code units: locale-aware sorting takes seconds for tens of thousands of names. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Names have the form `environment:split:index`; environment names may contain colons. */
function rowOf({ name, ...task }: CurriculumTask): TaskTableRow {
  const [, environment = name, split = "", index = ""] = /^(.*):([^:]*):(\d+)$/.exec(name) ?? [];
  return { environment, split, index: Number(index), ...task };
}
