/** The status bar item: shows the state of a run; hidden if there is nothing to show. */

import * as vscode from "vscode";
import type { RunEntry } from "../api/runs.ts";
import { soon } from "../node/soon.ts";
import { formatReward } from "../shared/format.ts";
import { phaseTexts } from "../shared/phaseTexts.ts";
import { commandName } from "./manifest/commandTable.ts";
import type { RunAlarms } from "./runs/runAlarms.ts";
import type { RunList } from "./runs/runList.ts";
import { runRow } from "./views/runRow.ts";
import { runTooltip } from "./views/runTooltip.ts";

const ITEM_PRIORITY = 10;
const REDRAW_MS = 500;

export function createStatusItem(store: RunList, alarms: RunAlarms): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(
    "tinkerRL.training",
    vscode.StatusBarAlignment.Left,
    ITEM_PRIORITY,
  );
  item.name = vscode.l10n.t("Tinker RL Training");
  /** The window's last run, shown after its end until the next one starts. */
  let last: string | null = null;
  const draw = soon(REDRAW_MS, () => {
    const live = store.runs.filter(({ isLive }) => isLive);
    const run = live[0] ?? (last === null ? null : store.get(last));
    if (run === null) {
      item.hide();
      return;
    }
    last = run.folder;
    const title = vscode.l10n.t("Show Run Menu");
    item.command = { title, command: commandName("runMenu"), arguments: [{ folder: run.folder }] };
    const more = live.length > 1 ? ` +${live.length - 1}` : "";
    item.text = `${textOf(run)}${more}`;
    const firing = alarms.of(run.folder).filter(({ severity }) => severity !== "info");
    const ids = firing.map(({ id }) => id);
    item.tooltip = runTooltip(run, ids);
    const { spoken } = runRow({ ...run, alarms: ids }, { isArchived: false, isSpinning: false });
    item.accessibilityInformation = { label: spoken };
    const isCritical = run.isLive && firing.some(({ severity }) => severity === "critical");
    item.backgroundColor =
      run.phase === "failed" || isCritical
        ? new vscode.ThemeColor("statusBarItem.errorBackground")
        : undefined;
    item.show();
  });
  return vscode.Disposable.from(store.onDidChange(draw), alarms.onDidChange(draw), draw, item);
}

function textOf({ file, phase, steps, totalSteps, reward }: RunEntry): string {
  const counted = totalSteps === null ? `${steps}` : `${steps}/${totalSteps}`;
  const step = file?.evaluation === undefined ? counted : vscode.l10n.t("evaluation");
  const mean = reward === null ? "" : ` · ${formatReward(reward)}`;
  switch (phase) {
    case "preparing":
      return `$(loading~spin) ${vscode.l10n.t("Tinker RL {0}", phaseTexts().preparing)}`;
    case "running":
    case "finishing":
      return `$(graph-line) ${vscode.l10n.t("Tinker RL {0}", step)}${mean}`;
    case "pausing":
    case "paused":
      return `$(debug-pause) ${vscode.l10n.t("Tinker RL {0} {1}", phaseTexts()[phase], step)}`;
    default:
      return `$(graph-line) ${vscode.l10n.t("Tinker RL {0} {1}", phaseTexts()[phase], step)}${mean}`;
  }
}
