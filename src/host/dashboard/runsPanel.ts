/** The tab of the runs table. */

import * as vscode from "vscode";
import { PageTab } from "./pageTab.ts";
import type { WindowPages } from "./windowPages.ts";

export class RunsPanel implements vscode.Disposable {
  readonly #tab: PageTab;

  constructor(pages: WindowPages) {
    this.#tab = new PageTab({
      pages,
      page: () => ({ kind: "runs" }),
      title: () => vscode.l10n.t("Tinker RL: Runs"),
    });
  }

  /** Fills a panel restored by the editor. */
  async restore(panel: vscode.WebviewPanel): Promise<void> {
    this.#tab.restore(panel);
  }

  /** Opens the table or brings it to the front, and selects runs to compare; null = keep the last selection. */
  open(folders: readonly string[] | null): void {
    this.#tab.open({ viewColumn: vscode.ViewColumn.Active });
    if (folders !== null) this.#tab.send({ kind: "choose", folders });
  }

  /** Opens the table or brings it to the front, at the sweep's settings. */
  showSweep(id: string): void {
    this.#tab.open({ viewColumn: vscode.ViewColumn.Active });
    this.#tab.send({ kind: "show-sweep", id });
  }

  dispose(): void {
    this.#tab.dispose();
  }
}
