/** What a thread is asked about the texts of runs, and what it answers. */

import type { Comparison } from "../../core/changes/readChanges.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { RunSearch } from "../../core/search/searchRun.ts";
import type { FolderReport } from "../../core/search/searchRuns.ts";
import type { BehaviourReport, ChangesReport } from "../../shared/changes.ts";

interface FolderTask {
  /** Folders in which nothing is written. */
  readonly readOnly: readonly string[];
}

export interface SearchTask extends FolderTask, RunSearch {
  readonly kind: "search";
  /** Run folders, in the order in which they are searched. */
  readonly folders: readonly string[];
}

export interface BehaviourTask extends FolderTask {
  readonly kind: "behaviour";
  readonly folder: string;
}

export interface ChangesTask extends FolderTask, Comparison {
  readonly kind: "changes";
  readonly folder: string;
}

/** Each task with its reports. */
export interface Reports {
  readonly search: FolderReport;
  readonly behaviour: BehaviourReport;
  readonly changes: ChangesReport;
}

export type TextTask = SearchTask | BehaviourTask | ChangesTask;

/** To a thread, which works on one task at a time. A task that is stopped is answered with `end`, too. */
export type TextRequest = TextTask | { readonly kind: "stop" };

/** From a thread: any number of reports, then how the task ended. */
export type TextMessage =
  | { readonly kind: "report"; readonly report: Reports[keyof Reports] }
  | TextEnd;

export type TextEnd =
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "end" };

export function failureOf(error: unknown): TextEnd {
  const code = error instanceof AppError ? error.code : "text-failed";
  return { kind: "failed", code, message: errorMessage(error) };
}
