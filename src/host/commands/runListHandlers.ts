/** Handlers of the commands about the list of runs: names, and which runs it shows. */

import { basename } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunsView } from "../views/runsView.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ChooseRunOptions, chooseAnyRun, chooseEndedRun } from "./chooseRun.ts";

export interface RunListHandlerOptions extends ChooseRunOptions {
  readonly finder: RunFinder;
  readonly view: RunsView;
}

export function runListHandlers(options: RunListHandlerOptions) {
  const { finder, view, labels, store } = options;
  const archive = async ({ folder }: RunEntry, isArchived: boolean): Promise<void> => {
    await labels.setArchived(folder, isArchived);
    view.redraw();
    // Pages get it with the list.
    await store.refresh();
  };
  const showArchived = async (isShown: boolean): Promise<void> => {
    view.showArchived(isShown);
    await setContextKey("archivedShown", isShown);
  };
  return {
    refreshRuns: () => finder.find(),
    renameRun: async (target) => {
      const run = await chooseAnyRun(options, target);
      if (run === undefined) return;
      const name = await askForName(run);
      if (name === undefined) return;
      await labels.rename(run.folder, name.trim());
      await store.refresh();
    },
    archiveRun: async (target) => {
      const run = await chooseEndedRun(options, target, {
        fits: ({ folder }) => !labels.isArchived(folder),
        noneEnded: vscode.l10n.t(
          "No run can be archived: those listed are still running. Stop them first.",
        ),
      });
      if (run === undefined) return;
      await archive(run, true);
      plainWindow.setStatusBarMessage(
        vscode.l10n.t("{0} is archived. Show Archived Runs lists it again.", run.name),
      );
    },
    restoreRun: async (target) => {
      const run = await chooseAnyRun(options, target, ({ folder }) => labels.isArchived(folder));
      if (run !== undefined) await archive(run, false);
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
