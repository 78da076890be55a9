/** Handlers of the commands that open the runs table. */

import * as vscode from "vscode";
import type { RunStore } from "../../server/runs/runStore.ts";
import { MAX_COMPARED } from "../../shared/runsPage.ts";
import type { RunsPanel } from "../dashboard/runsPanel.ts";
import { runRow } from "../views/runRow.ts";
import type { RunNode } from "../views/runsView.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { foldersOf } from "./chooseRun.ts";

export interface RunsTableHandlerOptions {
  readonly store: RunStore;
  readonly panel: Pick<RunsPanel, "open">;
  /** The Runs view. */
  readonly view: { readonly selection: readonly RunNode[] };
}

export function runsTableHandlers({
  store,
  panel,
  view,
}: RunsTableHandlerOptions): Pick<CommandHandlers, "openRunsTable" | "compareRuns"> {
  return {
    openRunsTable: () => panel.open(null),
    compareRuns: async (target, selection) => {
      const named = foldersOf(target, selection, view);
      const folders = named.length > 1 ? named : await askRuns(store, named);
      if (folders !== undefined && folders.length > 0) panel.open(folders.slice(0, MAX_COMPARED));
    },
  };
}

/** Undefined when the person went away from the question. */
async function askRuns(
  store: RunStore,
  picked: readonly string[],
): Promise<readonly string[] | undefined> {
  const items = store.runs.map((run) => {
    const { label, description } = runRow(run, { isArchived: false, isSpinning: false });
    return { label, description, folder: run.folder, picked: picked.includes(run.folder) };
  });
  const placeHolder = vscode.l10n.t("Which runs? Up to {0}.", MAX_COMPARED);
  const chosen = await plainWindow.showQuickPickMany(items, { placeHolder });
  return chosen?.map(({ folder }) => folder);
}
