/** The thread that reads the texts of runs: reports what it finds for each task, until the task is through or stopped. */

import { parentPort } from "node:worker_threads";
import { readBehaviour } from "../../core/changes/behaviour.ts";
import { readChanges } from "../../core/changes/readChanges.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { readOnlyFiles } from "../../core/readOnlyFiles.ts";
import { searchRuns } from "../../core/search/searchRuns.ts";
import { inPlaceFiles } from "../inPlaceFiles.ts";
import {
  failureOf,
  type Reports,
  type TextMessage,
  type TextRequest,
  type TextTask,
} from "./textTask.ts";

/** Reports without hits are sent no more often. */
const REPORT_PAUSE_MS = 50;

type Report = Reports[keyof Reports];

function reportsOf(task: TextTask): AsyncGenerator<Report, void> {
  const filesOf = (folder: string): FolderFiles => {
    const files = inPlaceFiles(folder);
    return task.readOnly.includes(folder) ? readOnlyFiles(files) : files;
  };
  switch (task.kind) {
    case "search":
      return searchRuns(task.folders, filesOf, task);
    case "behaviour":
      return readBehaviour(filesOf(task.folder), task.folder);
    case "changes":
      return readChanges(filesOf(task.folder), task.folder, task);
  }
}

async function run(task: TextTask, signal: AbortSignal): Promise<void> {
  let sentAtMs = 0;
  for await (const report of reportsOf(task)) {
    if (signal.aborted) return;
    const isQuiet = "hits" in report && report.hits.length === 0 && !report.isComplete;
    if (isQuiet && performance.now() < sentAtMs + REPORT_PAUSE_MS) continue;
    sentAtMs = performance.now();
    post({ kind: "report", report });
  }
}

function post(message: TextMessage): void {
  parentPort?.postMessage(message);
}

let running = new AbortController();

parentPort?.on("message", (request: TextRequest) => {
  running.abort();
  if (request.kind === "stop") return;
  running = new AbortController();
  run(request, running.signal).then(
    () => post({ kind: "end" }),
    (error: unknown) => post(failureOf(error)),
  );
});
