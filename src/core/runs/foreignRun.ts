/** Lists a run folder written by another program, such as a Python program: it has metrics but no `run.json`. */

import type { FileSystem } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { NOTHING_PENDING } from "./pendingReports.ts";
import { type ListedRun, lastRows, rowFacts } from "./runList.ts";

/** Null for a folder without metrics. @throws AppError `file-unreadable`, `folder-unsafe` */
export async function readForeignRun(
  fileSystem: FileSystem,
  named: Pick<ListedRun, "name" | "folder">,
): Promise<ListedRun | null> {
  const files = fileSystem.within(named.folder);
  const { metrics, runFile } = runPaths(named.folder);
  const size = (await files.size(metrics)) ?? 0;
  if (size === 0 || (await files.size(runFile)) !== null) return null;
  const { rows, problem } = await lastRows(files, metrics, size);
  return {
    ...named,
    ...rowFacts(rows),
    phase: "foreign",
    heldOut: [],
    evaluated: [],
    pendingReports: NOTHING_PENDING,
    startedAtMs: null,
    repeats: null,
    expiry: null,
    file: null,
    problem,
  };
}
