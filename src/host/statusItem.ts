/** The one item in the status bar: how the run stands; hidden while there is nothing to tell. */

import * as vscode from "vscode";
import { formatReward } from "../shared/format.ts";
import type { RunEntry, RunStore } from "./runs/runStore.ts";
import { runRow } from "./views/runRow.ts";
import { runTooltip } from "./views/runTooltip.ts";

const ITEM_PRIORITY = 10;
const REDRAW_MS = 500;

export class StatusItem implements vscode.Disposable {
  readonly #store: RunStore;
  readonly #item: vscode.StatusBarItem;
  readonly #listening: { dispose(): void };
  #timer: NodeJS.Timeout | null = null;
  /** A run of this window that has ended is told until the next one. */
  #last: string | null = null;

  constructor(store: RunStore) {
    this.#store = store;
    this.#item = vscode.window.createStatusBarItem(
      "tinkerRL.training",
      vscode.StatusBarAlignment.Left,
      ITEM_PRIORITY,
    );
    this.#item.name = "Tinker RL Training";
    this.#item.command = "tinkerRL.runMenu";
    this.#listening = store.onDidChange(() => this.#soon());
  }

  dispose(): void {
    this.#listening.dispose();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#item.dispose();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#draw();
    }, REDRAW_MS);
  }

  #draw(): void {
    const live = this.#store.runs.filter(({ isLive }) => isLive);
    const run = live[0] ?? (this.#last === null ? null : this.#store.get(this.#last));
    if (run === null) {
      this.#item.hide();
      return;
    }
    this.#last = run.folder;
    const more = live.length > 1 ? ` +${live.length - 1}` : "";
    this.#item.text = `${textOf(run)}${more}`;
    this.#item.tooltip = runTooltip(run);
    this.#item.accessibilityInformation = {
      label: runRow(run, { label: null, isSpinning: false }).spoken,
    };
    this.#item.backgroundColor = needsUser(run)
      ? new vscode.ThemeColor("statusBarItem.errorBackground")
      : undefined;
    this.#item.show();
  }
}

function textOf({ phase, steps, totalSteps, reward }: RunEntry): string {
  const step = totalSteps === null ? `${steps}` : `${steps}/${totalSteps}`;
  const mean = reward === null ? "" : ` · ${formatReward(reward)}`;
  switch (phase) {
    case "preparing":
    case "probing":
      return "$(loading~spin) Tinker RL preparing";
    case "running":
    case "finishing":
      return `$(graph-line) Tinker RL ${step}${mean}`;
    case "pausing":
    case "paused":
      return `$(debug-pause) Tinker RL ${phase} ${step}`;
    default:
      return `$(graph-line) Tinker RL ${phase} ${step}${mean}`;
  }
}

function needsUser({ phase }: RunEntry): boolean {
  return phase === "failed";
}
