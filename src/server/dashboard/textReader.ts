/** Reads the texts of runs for a page. Every read stops when its signal is aborted. */

import { join } from "node:path";
import type { Comparison } from "../../core/changes/readChanges.ts";
import type { RunSearch } from "../../core/search/searchRun.ts";
import { reportsInThread } from "../../node/texts/textThread.ts";
import type { BehaviorReport, ChangesReport } from "../../shared/changes.ts";
import type { RunListing } from "../../shared/dashboardTypes.ts";
import type { SearchReport } from "../../shared/search.ts";

export interface TextReader {
  /** Searches the run in `folder`, or all of the window's runs if null, newest first. */
  search(
    search: RunSearch,
    folder: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<FoundInRun, void>;
  behavior(folder: string, signal: AbortSignal): AsyncGenerator<BehaviorReport, void>;
  changes(
    folder: string,
    ranges: Comparison,
    signal: AbortSignal,
  ): AsyncGenerator<ChangesReport, void>;
}

/** Results from one run. */
interface FoundInRun extends SearchReport {
  readonly run: Pick<RunListing, "id" | "name">;
}

export interface TextReaderOptions {
  /** The program's folder in the extension. */
  readonly programFolder: string;
  /** Folders of all runs, newest first. */
  readonly folders: () => readonly string[];
  /** Folders opened from elsewhere, which must not be written to. */
  readonly openedFolders: () => readonly string[];
  /** The run's identification for the page. */
  readonly listing: (folder: string) => FoundInRun["run"];
}

/** Reads in worker threads. */
export function createTextReader(options: TextReaderOptions): TextReader {
  const { programFolder, folders, openedFolders, listing } = options;
  const workerPath = join(programFolder, "textWorker.js");
  return {
    async *search(search, folder, signal) {
      const task = {
        kind: "search",
        ...search,
        folders: folder === null ? folders() : [folder],
        readOnly: openedFolders(),
      } as const;
      for await (const { folder: own, ...report } of reportsInThread(task, {
        workerPath,
        signal,
      })) {
        yield { ...report, run: listing(own) };
      }
    },
    behavior: (folder, signal) =>
      reportsInThread(
        { kind: "behavior", folder, readOnly: openedFolders() },
        { workerPath, signal },
      ),
    changes: (folder, { before, after }, signal) =>
      reportsInThread(
        { kind: "changes", folder, before, after, readOnly: openedFolders() },
        { workerPath, signal },
      ),
  };
}
