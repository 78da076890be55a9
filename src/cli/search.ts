/** The command `search`: finds rollouts whose texts match. */

import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { describeFound } from "../core/outputs/searchOutput.ts";
import { readOnlyFiles } from "../core/readOnlyFiles.ts";
import { searchRuns } from "../core/search/searchRun.ts";
import { CONFIG_FILE } from "./arguments/flags.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { isRun } from "./arguments/requireRun.ts";
import type { SearchCommand } from "./arguments/resultsArguments.ts";
import { runsAt } from "./arguments/runParents.ts";
import { endLine, hitLines, progressLine } from "./searchLines.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { shortPath } from "./terminal/invocation.ts";

/** Prints matches as they are found, and finally their count. @throws AppError `run-not-found`, `bad-expression`, and like {@link runsAt} */
export async function searchTexts(options: ProgramOptions, command: SearchCommand): Promise<void> {
  const { fileSystem, out } = options;
  const { pattern, isRegex, isCaseSensitive, roles, limit, wantsJson } = command;
  const folders = await searchedRuns(options, command.paths);
  const search = {
    query: { text: pattern, isRegex, isCaseSensitive, roles },
    set: null,
    maxHits: limit ?? Number.MAX_SAFE_INTEGER,
  };
  let found = 0;
  let isCut = false;
  const filesOf = (folder: string) => readOnlyFiles(fileSystem.within(folder));
  for await (const report of searchRuns(folders, filesOf, search)) {
    if (out.isClosed) return;
    found += report.hits.length;
    isCut ||= report.isCut;
    const { folder } = report;
    if (report.hits.length > 0) {
      out.print(
        report.hits.flatMap((hit) =>
          wantsJson ? [jsonLine(describeFound(folder, hit))] : hitLines(folder, hit, out),
        ),
      );
      await out.drained();
    }
    if (!wantsJson) out.showLive(report.isComplete ? null : progressLine(report.progress));
  }
  out.showLive(null);
  if (!wantsJson) out.print([endLine({ found, runs: folders.length, isCut })]);
}

/** Deduplicated, newest first within each folder. */
async function searchedRuns(
  options: ProgramOptions,
  paths: readonly string[],
): Promise<readonly string[]> {
  const { fileSystem, invocation } = options;
  const folders = new Set<string>();
  for (const path of paths.length === 0 ? [null] : paths) {
    const own = resolve(invocation.cwd, path ?? ".");
    if (path !== null && !CONFIG_FILE.test(path) && (await isRun(fileSystem, own))) {
      folders.add(own);
      continue;
    }
    const { places, lists } = await runsAt(options, path);
    if (lists.length === 0) throw noRuns(places.map((place) => shortPath(place, invocation.cwd)));
    for (const run of lists.flatMap(({ runs }) => runs)) folders.add(run.folder);
  }
  return [...folders];
}

function noRuns(places: readonly string[]): AppError {
  return new AppError(
    "run-not-found",
    `There are no runs in ${places.join(", ")}. Specify a run folder, or a folder with runs.`,
  );
}
