/** The command `view`: serves the editor's pages to a browser until an interrupt. */

import * as l10n from "@vscode/l10n";
import { aborted } from "../core/util/abort.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { ViewCommand } from "./arguments/resultsArguments.ts";
import { runsAt } from "./arguments/runParents.ts";
import { untilInterrupt } from "./terminal/interrupts.ts";
import { BLANK, type Line, quietLine, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError `listen-failed`, `pages-missing`, and like {@link runsAt} */
export async function viewUntilInterrupt(
  options: ProgramOptions,
  { path, port }: ViewCommand,
): Promise<void> {
  const { out } = options;
  const { places, lists } = await runsAt(options, path);
  const isRun = places.length === 0;
  const view = await untilInterrupt(options, async (signal) => {
    const served = await options.serveView({
      // Also the places without runs, where one may start.
      parents: isRun ? [] : [...new Set([...places, ...lists.map(({ parent }) => parent)])],
      run: isRun ? (lists[0]?.runs[0]?.folder ?? null) : null,
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
