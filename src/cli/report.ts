/** The command `report`: writes a single file about runs, for people without this program. */

import { basename, dirname, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import { gatherReport } from "../core/report/report.ts";
import { reportFileName } from "../core/report/reportFileName.ts";
import { REPORT_MARK, reportHtml } from "../core/report/reportHtml.ts";
import { reportMarkdown } from "../core/report/reportMarkdown.ts";
import { fromHome } from "../node/fromHome.ts";
import { sha256 } from "../node/hash.ts";
import { formatBytes } from "../shared/format.ts";
import { VERSION } from "../shared/version.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { requireRuns } from "./arguments/requireRun.ts";
import type { ReportCommand } from "./arguments/resultsArguments.ts";
import { shortPath } from "./terminal/invocation.ts";

/** Enough bytes to recognize a file that this program wrote. */
const HEAD_BYTES = 1_024;

/** @throws AppError `run-not-found`, `file-unreadable`, `disk`, `file-exists` */
export async function report(
  options: ProgramOptions,
  { folders, format, output }: ReportCommand,
): Promise<void> {
  const { fileSystem, clock, invocation, out, isProcessAlive } = options;
  const runs = await requireRuns(
    fileSystem,
    folders.map((given) => resolve(invocation.cwd, given)),
  );
  const facts = await gatherReport(
    fileSystem,
    runs.map((folder) => ({ folder, name: basename(folder) })),
    { nowMs: clock.now(), isProcessAlive, version: VERSION, shorten: fromHome, sha256 },
  );
  const text = format === "html" ? reportHtml(facts) : reportMarkdown(facts);
  if (format === "markdown" && output === null) {
    out.print(
      text
        .trimEnd()
        .split("\n")
        .map((line) => [line]),
    );
    return;
  }
  const path = resolve(
    invocation.cwd,
    output ?? reportFileName(runs.map((folder) => ({ name: basename(folder) }))),
  );
  await requireOwn(fileSystem, path);
  const bytes = new TextEncoder().encode(text);
  await fileSystem.makeDirectory(dirname(path));
  await fileSystem.writeAtomic(path, bytes);
  const written = shortPath(path, invocation.cwd);
  out.print([[l10n.t("Wrote {0} ({1}).", written, formatBytes(bytes.length))]]);
}

/** Allows overwriting an existing report, but no other file. */
async function requireOwn(fileSystem: FileSystem, path: string): Promise<void> {
  const size = await fileSystem.size(path);
  if (size === null) return;
  const head = await fileSystem.readRange(path, 0, Math.min(size, HEAD_BYTES));
  if (new TextDecoder().decode(head).includes(REPORT_MARK)) return;
  throw new AppError(
    "file-exists",
    `${path} exists and is not a report of this program. Set --output to another file, or move that one.`,
  );
}
