/** Handlers of the commands for the list of runs: names, and which runs are shown. */

import { basename } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { formatCount } from "../../shared/format.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunsView } from "../views/runsView.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ChooseRunOptions, chooseAnyRun, chooseEndedRuns, chooseRuns } from "./chooseRun.ts";

export interface RunListHandlerOptions extends ChooseRunOptions {
  readonly finder: RunFinder;
  readonly runsView: RunsView;
}

export function runListHandlers(options: RunListHandlerOptions) {
  const { finder, runsView, labels, store } = options;
  const archive = async (runs: readonly RunEntry[], isArchived: boolean): Promise<void> => {
    for (const { folder } of runs) await labels.setArchived(folder, isArchived);
    runsView.redraw();
    // Pages receive it with the list.
    await store.refresh();
  };
  const showArchived = async (isShown: boolean): Promise<void> => {
    runsView.showArchived(isShown);
    await setContextKey("archivedShown", isShown);
  };
  return {
    refreshRuns: () => finder.find(),
    renameRun: async (target) => {
      const [first, ...others] = await chooseRuns(options, [target]);
      // A key with several rows selected, or the runs table's menu with several runs selected, does not identify one.
      const run = others.length === 0 ? first : await chooseAnyRun(options, target);
      if (run === undefined) return;
      const name = await askForName(run);
      if (name === undefined) return;
      await labels.rename(run.folder, name.trim());
      await store.refresh();
    },
    archiveRun: async (...called) => {
      const runs = await chooseEndedRuns(options, called, {
        fits: ({ folder }) => !labels.isArchived(folder),
        noneEnded: vscode.l10n.t(
          "No run can be archived: those listed are still running. Stop them first.",
        ),
      });
      const [first] = runs;
      if (first === undefined) return;
      await archive(runs, true);
      plainWindow.setStatusBarMessage(
        runs.length === 1
          ? vscode.l10n.t("{0} is archived. Show Archived Runs lists it again.", first.name)
          : vscode.l10n.t(
              "{0} runs are archived. Show Archived Runs lists them again.",
              formatCount(runs.length),
            ),
      );
    },
    restoreRun: async (...called) => {
      const runs = await chooseRuns(options, called, ({ folder }) => labels.isArchived(folder));
      if (runs.length > 0) await archive(runs, false);
    },
    showArchivedRuns: () => showArchived(true),
    hideArchivedRuns: () => showArchived(false),
  } satisfies Partial<CommandHandlers>;
}

async function askForName({ name, folder }: RunEntry): Promise<string | undefined> {
  return plainWindow.showInputBox({
    title: vscode.l10n.t("Rename {0}", name),
    prompt: vscode.l10n.t("The name in the list. The folder remains {0}.", basename(folder)),
    value: name,
  });
}
