/** Searches one run after the other. */

import type { SearchReport } from "../../shared/search.ts";
import { isAppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { type RunSearch, searchRun } from "./searchRun.ts";

/** The report about one run. */
export interface FolderReport extends SearchReport {
  readonly folder: string;
}

/**
 * `folders` are run folders in the order in which they are searched, `filesOf` gives access to one. Progress is that of all of them, and
 * the last report of all is the only one that is complete.
 * @throws AppError `bad-expression`; `file-unreadable` for a single run, while one of several is passed over
 */
export async function* searchRuns(
  folders: readonly string[],
  filesOf: (folder: string) => FolderFiles,
  search: RunSearch,
): AsyncGenerator<FolderReport, void> {
  let left = search.maxHits;
  for (const [at, folder] of folders.entries()) {
    try {
      for await (const report of searchRun(filesOf(folder), folder, { ...search, maxHits: left })) {
        left -= report.hits.length;
        const progress = (at + report.progress) / folders.length;
        const isComplete = report.isComplete && (report.isCut || at === folders.length - 1);
        yield { ...report, folder, progress, isComplete };
      }
    } catch (error) {
      if (folders.length === 1 || !isAppError(error, "file-unreadable")) throw error;
    }
    if (left === 0) return;
  }
}
