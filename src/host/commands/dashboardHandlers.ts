/** The handlers of the commands that open the dashboard. */

import * as vscode from "vscode";
import * as z from "zod";
import { RUN_REQUESTS, type RunEntry } from "../../api/runs.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { formatCount } from "../../shared/format.ts";
import type { RunDashboard } from "../dashboard/runDashboard.ts";
import { commandName } from "../manifest/commandTable.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";
import { clickedRow } from "../views/clickedRow.ts";
import type { RunNode } from "../views/runsView.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ChooseRunOptions, chooseRun } from "./chooseRun.ts";

export interface DashboardHandlerOptions extends ChooseRunOptions {
  readonly server: Server;
  readonly dashboard: RunDashboard;
  /** The Runs view. */
  readonly tree: { readonly selection: readonly RunNode[] };
}

export function dashboardHandlers(options: DashboardHandlerOptions) {
  // From the view's title, the target is also null; opening the wrong dashboard does no harm.
  const choose = (target: unknown, placeHolder: string): Promise<RunEntry | undefined> =>
    chooseRun(options, target ?? undefined, {
      placeHolder,
      none: vscode.l10n.t("There is no run yet. Use Start Training to create one."),
      fits: () => true,
    });
  return {
    openSelectedRun: async () => {
      const node = await clickedRow(options.tree);
      if (node?.kind === "run") options.dashboard.open(node.folder);
      else if (node?.kind === "part") {
        await vscode.commands.executeCommand(commandName("openRunFolder"), { folder: node.folder });
      }
    },
    searchAllRuns: () => options.dashboard.openSearch(),
    showAlarm: async (target) => {
      const run = await choose(target, vscode.l10n.t("Which run's alarm?"));
      if (run === undefined) return;
      const alarm = await chooseAlarm(options.server, run, target);
      if (alarm !== null) options.dashboard.open(run.folder, { target: { alarm } });
    },
    openDashboard: async (target) => {
      const configPath = target instanceof vscode.Uri ? target.fsPath : "";
      const run =
        options.store.runs.find((each) => isOfConfig(each, configPath)) ??
        (await choose(target, vscode.l10n.t("Which run?")));
      if (run !== undefined) options.dashboard.open(run.folder);
    },
  } satisfies Partial<CommandHandlers>;
}

/** The given alarm, the only firing one, or the user's pick; null if there is none. */
async function chooseAlarm(
  server: Server,
  { folder, name }: RunEntry,
  target: unknown,
): Promise<string | null> {
  const named = z.object({ alarm: z.string() }).safeParse(target).data?.alarm;
  if (named !== undefined) return named;
  const firing = await ask<readonly FiringAlarm[]>(server, RUN_REQUESTS.alarms, { folder });
  if (firing.length === 0) {
    void plainWindow.showInformationMessage(vscode.l10n.t("{0} has no active alarms.", name));
    return null;
  }
  if (firing.length === 1) return firing[0]?.id ?? null;
  const picked = await plainWindow.showQuickPick(
    firing.map(({ id, seen, step }) => ({
      id,
      label: ALARMS[id].title,
      detail: seen,
      description: vscode.l10n.t("from step {0} on", formatCount(step + 1)),
    })),
    { placeHolder: vscode.l10n.t("Which alarm?") },
  );
  return picked?.id ?? null;
}
