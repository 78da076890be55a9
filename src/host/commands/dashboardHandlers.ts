/** The handler of the command that opens the dashboard, and where it opens by itself. */

import * as vscode from "vscode";
import type { RunDashboard } from "../dashboard/runDashboard.ts";
import { commandName } from "../manifest/commandTable.ts";
import type { Trainings } from "../runs/trainings.ts";
import type { RunNode } from "../views/runsView.ts";
import { selectedRow } from "../views/selectedRow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { readSetting } from "../vscode/settings.ts";
import { type ChooseRunOptions, chooseRun } from "./chooseRun.ts";

export interface DashboardHandlerOptions extends ChooseRunOptions {
  readonly dashboard: RunDashboard;
  /** The Runs view. */
  readonly view: { readonly selection: readonly RunNode[] };
}

export function dashboardHandlers(
  options: DashboardHandlerOptions,
): Pick<CommandHandlers, "openDashboard" | "openSelectedRun"> {
  return {
    openSelectedRun: async () => {
      const node = await selectedRow(options.view);
      if (node?.kind === "run") options.dashboard.open(node.folder);
      else if (node?.kind === "part") {
        await vscode.commands.executeCommand(commandName("openRunFolder"), { folder: node.folder });
      }
    },
    openDashboard: async (target) => {
      const configPath = target instanceof vscode.Uri ? target.fsPath : null;
      const run =
        options.store.runs.find(({ file }) => file?.configPath === configPath) ??
        // From the title of the view it comes with a null, too; a wrong dashboard harms nothing.
        (await chooseRun(options, target ?? undefined, {
          placeHolder: vscode.l10n.t("Which run?"),
          none: vscode.l10n.t("There is no run yet. Start Training makes one."),
          fits: () => true,
        }));
      if (run !== undefined) options.dashboard.open(run.folder);
    },
  };
}

/** Opens the dashboard, without taking the focus, when a training of this window gets its folder. */
export function openOnStart(trainings: Trainings, dashboard: RunDashboard): { dispose(): void } {
  const known = new Set<string>();
  return trainings.onDidChange(() => {
    for (const { folder } of trainings.active) {
      if (folder === null || known.has(folder)) continue;
      known.add(folder);
      if (readSetting("dashboard.openOnStart") !== "never")
        dashboard.open(folder, { preserveFocus: true });
    }
  });
}
