/** The command `view`: serves the editor's pages to a browser until an interrupt. */

import { resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { aborted } from "../core/util/abort.ts";
import { CONFIG_FILE } from "./arguments/flags.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { ViewCommand } from "./arguments/resultsArguments.ts";
import { parentFolders } from "./arguments/runParents.ts";
import { untilInterrupt } from "./terminal/interrupts.ts";
import { BLANK, type Line, quietLine, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError `file-not-found`, `listen-failed`, `pages-missing` */
export async function viewUntilInterrupt(
  options: ProgramOptions,
  { path, port }: ViewCommand,
): Promise<void> {
  const { fileSystem, invocation, out } = options;
  const given = path === null ? null : resolve(invocation.cwd, path);
  const isConfig = path !== null && CONFIG_FILE.test(path);
  if (given !== null && !isConfig && (await fileSystem.size(given)) === null) {
    throw new AppError("file-not-found", l10n.t("{0} does not exist. Check the path.", given));
  }
  const isRun =
    given !== null && !isConfig && (await fileSystem.size(runPaths(given).runFile)) !== null;
  const parents = isRun ? [] : await parentFolders(options, path);
  const view = await untilInterrupt(options, async (signal) => {
    const served = await options.serveView({
      parents: [...new Set(parents)],
      run: isRun ? given : null,
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
