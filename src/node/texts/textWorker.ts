/** Worker for one task over the texts of runs: reports results until it finishes or is terminated. */

import { parentPort, workerData } from "node:worker_threads";
import { readBehavior } from "../../core/changes/behavior.ts";
import { readChanges } from "../../core/changes/readChanges.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { readOnlyFiles } from "../../core/readOnlyFiles.ts";
import { type FolderReport, searchRuns } from "../../core/search/searchRun.ts";
import { inPlaceFiles } from "../inPlaceFiles.ts";
import { failureOf, type TextMessage, type TextTask } from "./textThread.ts";

/** Minimum time between reports without hits. */
const REPORT_PAUSE_MS = 50;

async function run(task: TextTask): Promise<void> {
  const filesOf = (folder: string): FolderFiles => {
    const files = inPlaceFiles(folder);
    return task.readOnly.includes(folder) ? readOnlyFiles(files) : files;
  };
  switch (task.kind) {
    case "search":
      for await (const report of searchRuns(task.folders, filesOf, task)) postFound(report);
      return;
    case "behavior":
      for await (const report of readBehavior(filesOf(task.folder), task.folder))
        postReport(report);
      return;
    case "changes":
      for await (const report of readChanges(filesOf(task.folder), task.folder, task)) {
        postReport(report);
      }
  }
}

let sentAtMs = 0;

function postFound(report: FolderReport): void {
  const isQuiet = report.hits.length === 0 && !report.isComplete;
  if (isQuiet && performance.now() < sentAtMs + REPORT_PAUSE_MS) return;
  sentAtMs = performance.now();
  postReport(report);
}

function postReport(report: Extract<TextMessage, { readonly kind: "report" }>["report"]): void {
  post({ kind: "report", report });
}

function post(message: TextMessage): void {
  parentPort?.postMessage(message);
}

run(workerData as TextTask).then(
  // sent by the program that started this thread
  () => post({ kind: "end" }),
  (error: unknown) => post(failureOf(error)),
);
