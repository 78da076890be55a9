/** The status bar item: shows the state of a run; hidden if there is nothing to show. */

import * as vscode from "vscode";
import type { RunEntry } from "../api/runs.ts";
import { ALARMS } from "../core/alarms/alarmTable.ts";
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

export class StatusItem implements vscode.Disposable {
  readonly #store: RunList;
  readonly #alarms: RunAlarms;
  readonly #item: vscode.StatusBarItem;
  readonly #listening: readonly { dispose(): void }[];
  readonly #soon = soon(REDRAW_MS, () => this.#draw());
  /** The window's last run, shown after its end until the next one starts. */
  #last: string | null = null;

  constructor(store: RunList, alarms: RunAlarms) {
    this.#store = store;
    this.#alarms = alarms;
    this.#item = vscode.window.createStatusBarItem(
      "tinkerRL.training",
      vscode.StatusBarAlignment.Left,
      ITEM_PRIORITY,
    );
    this.#item.name = vscode.l10n.t("Tinker RL Training");
    this.#listening = [store.onDidChange(this.#soon), alarms.onDidChange(this.#soon)];
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
    this.#soon.dispose();
    this.#item.dispose();
  }

  #draw(): void {
    const live = this.#store.runs.filter(({ isLive }) => isLive);
    const run = live[0] ?? (this.#last === null ? null : this.#store.get(this.#last));
    if (run === null) {
      this.#item.hide();
      return;
    }
    this.#last = run.folder;
    const title = vscode.l10n.t("Show Run Menu");
    this.#item.command = {
      title,
      command: commandName("runMenu"),
      arguments: [{ folder: run.folder }],
    };
    const more = live.length > 1 ? ` +${live.length - 1}` : "";
    this.#item.text = `${textOf(run)}${more}`;
    const firing = this.#alarms.of(run.folder).filter(({ severity }) => severity !== "info");
    const alarms = firing.map(({ id }) => id);
    this.#item.tooltip = runTooltip(
      run,
      alarms.map((id) => ALARMS[id].title),
    );
    const { spoken } = runRow({ ...run, alarms }, { isArchived: false, isSpinning: false });
    this.#item.accessibilityInformation = { label: spoken };
    const isCritical = run.isLive && firing.some(({ severity }) => severity === "critical");
    this.#item.backgroundColor =
      run.phase === "failed" || isCritical
        ? new vscode.ThemeColor("statusBarItem.errorBackground")
        : undefined;
    this.#item.show();
  }
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
