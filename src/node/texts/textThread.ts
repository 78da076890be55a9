/** Reads run texts in a worker thread, so that neither large texts nor a runaway regular expression block the program. */

import { Worker } from "node:worker_threads";
import type { Comparison } from "../../core/changes/readChanges.ts";
import type { ErrorCode } from "../../core/errorCodes.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { FolderReport, RunSearch } from "../../core/search/searchRun.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import type { BehaviorReport, ChangesReport } from "../../shared/changes.ts";
import { systemClock } from "../clock.ts";

interface FolderTask {
  /** Folders that must not be written to. */
  readonly readOnly: readonly string[];
}

export interface SearchTask extends FolderTask, RunSearch {
  readonly kind: "search";
  /** Run folders, in search order. */
  readonly folders: readonly string[];
}

export interface BehaviorTask extends FolderTask {
  readonly kind: "behavior";
  readonly folder: string;
}

export interface ChangesTask extends FolderTask, Comparison {
  readonly kind: "changes";
  readonly folder: string;
}

/** Report type of each task. */
interface Reports {
  readonly search: FolderReport;
  readonly behavior: BehaviorReport;
  readonly changes: ChangesReport;
}

export type TextTask = SearchTask | BehaviorTask | ChangesTask;

export type TextMessage =
  | { readonly kind: "report"; readonly report: Reports[keyof Reports] }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "end" };

export interface TextThreadOptions {
  /** The bundled `textWorker.ts`. */
  readonly workerPath: string;
  /** Time limit for a search to report something or to read on; absent = ten seconds. Other tasks run no user-defined expression and have no limit. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const DEADLINE_MS = 10_000;

/**
 * Yields reports as the task proceeds. It ends when the consumer stops iterating; aborting `signal` rejects with its reason.
 * @throws AppError from the task, or `text-stuck` if a search spends longer than the deadline on one rollout
 */
export async function* reportsInThread<Task extends TextTask>(
  task: Task,
  { workerPath, deadlineMs = DEADLINE_MS, signal }: TextThreadOptions,
): AsyncGenerator<Reports[Task["kind"]], void> {
  const worker = new Worker(workerPath, { workerData: task });
  const waiting: TextMessage[] = [];
  const sleep = new WakeableSleep();
  const receive = (message: TextMessage): void => {
    waiting.push(message);
    sleep.wakeOrSkipNext();
  };
  worker.on("message", receive);
  worker.on("error", (error) => receive(failureOf(error)));
  worker.on("exit", () => receive({ kind: "end" }));
  /** A worker that waits for a disk is idle; one in an expression is not. */
  const untilReported = async (): Promise<void> => {
    const { idle } = worker.performance.eventLoopUtilization();
    const isReported = await sleep.sleep(systemClock, deadlineMs, signal);
    const isIdle = worker.performance.eventLoopUtilization().idle > idle;
    if (!isReported && !isIdle) throw stuck(deadlineMs);
  };
  try {
    for (;;) {
      const message = waiting.shift();
      if (message === undefined) {
        if (task.kind === "search") await untilReported();
        else await sleep.untilWoken(signal);
        continue;
      }
      if (message.kind === "end") return;
      if (message.kind === "failed") throw new AppError(message.code, message.message);
      yield message.report as Reports[Task["kind"]]; // the thread answers a task with its own reports
    }
  } finally {
    await worker.terminate();
  }
}

export function failureOf(error: unknown): TextMessage {
  const code = error instanceof AppError ? error.code : "text-failed";
  return { kind: "failed", code, message: errorMessage(error) };
}

function stuck(deadlineMs: number): AppError {
  const seconds = Math.ceil(deadlineMs / 1_000);
  return new AppError(
    "text-stuck",
    `The search was stopped because one rollout took more than ${seconds} seconds. Rewrite the expression without nested repetitions such as (a+)+.`,
  );
}
