/** Finds the steps in which a task was played. Tasks are shuffled, so only the indexes know. */

import { taskId } from "../../../shared/taskId.ts";
import type { FolderFiles } from "../../ports.ts";
import { stepPaths } from "../files/layout.ts";
import { readLines } from "../files/lineReader.ts";
import { type EndedLine, indexLineSchema } from "./rolloutRecord.ts";

/** Limits the indexes that one query reads to about 3,000 steps. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface TaskSteps {
  /** Counted from 0, ascending. */
  readonly steps: readonly number[];
  /** False if the run was too long to search completely; then only the steps nearest to `from` were searched. */
  readonly isComplete: boolean;
}

type Task = Pick<EndedLine, "environment" | "split" | "index">;

/** Caches the tasks of each step, so that the next query reads only what was added. */
export class TaskStepFinder {
  readonly #files: FolderFiles;
  readonly #folder: string;
  readonly #read = new Map<
    number,
    { readonly size: number; readonly tasks: ReadonlySet<string> }
  >();

  constructor(files: FolderFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Searches `steps`, those nearest to `from` first. */
  async find(task: Task, from: number, steps: readonly number[]): Promise<TaskSteps> {
    const wanted = taskId(task);
    const found: number[] = [];
    let left = MAX_BYTES;
    for (const step of steps.toSorted((a, b) => Math.abs(a - from) - Math.abs(b - from))) {
      if (left <= 0) return { steps: found.toSorted((a, b) => a - b), isComplete: false };
      const { tasks, bytes } = await this.#tasksOf(step);
      left -= bytes;
      if (tasks.has(wanted)) found.push(step);
    }
    return { steps: found.toSorted((a, b) => a - b), isComplete: true };
  }

  async #tasksOf(step: number): Promise<{ tasks: ReadonlySet<string>; bytes: number }> {
    const { index } = stepPaths(this.#folder, step);
    const size = (await this.#files.size(index)) ?? 0;
    const known = this.#read.get(step);
    if (known?.size === size) return { tasks: known.tasks, bytes: 0 };
    const tasks = new Set<string>();
    for await (const { value } of readLines(this.#files, index)) {
      const line = indexLineSchema.safeParse(value).data;
      if (line?.kind === "ended") tasks.add(taskId(line));
    }
    this.#read.set(step, { size, tasks });
    return { tasks, bytes: size };
  }
}
