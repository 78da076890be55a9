/** The command `view`: serves the editor's pages to a browser until an interrupt. */

import * as l10n from "@vscode/l10n";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { aborted } from "../core/util/abort.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { ViewCommand } from "./arguments/resultsArguments.ts";
import { namedFolder, parentFolders } from "./arguments/runParents.ts";
import { untilInterrupt } from "./terminal/interrupts.ts";
import { BLANK, type Line, quietLine, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError `file-not-found`, `listen-failed`, `pages-missing` */
export async function viewUntilInterrupt(
  options: ProgramOptions,
  { path, port }: ViewCommand,
): Promise<void> {
  const { fileSystem, out } = options;
  const named = await namedFolder(options, path);
  const isRun = named !== null && (await fileSystem.size(runPaths(named).runFile)) !== null;
  const parents = isRun ? [] : await parentFolders(options, path);
  const view = await untilInterrupt(options, async (signal) => {
    const served = await options.serveView({
      parents: [...new Set(parents)],
      run: isRun ? named : null,
      port,
    });
    out.print(addressLines(served.url));
    await aborted(signal);
    return served;
  });
  await view.close();
}

function addressLines(url: string): readonly Line[] {
  return [
    [l10n.t("Open in a browser:")],
    BLANK,
    ["  ", styled("strong", url)],
    BLANK,
    quietLine(
      l10n.t("Anyone who has this address can read and control the runs. Ctrl+C ends the server."),
    ),
  ];
}
