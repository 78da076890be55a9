/** The tab of the runs table. */

import * as vscode from "vscode";
import { PageTab } from "./pageTab.ts";
import type { WindowPages } from "./windowPages.ts";

export function createRunsTable(pages: WindowPages) {
  const tab = new PageTab({
    pages,
    page: () => ({ kind: "runs" }),
    title: () => vscode.l10n.t("Tinker RL: Runs"),
  });
  const open = (): void => tab.open({ viewColumn: vscode.ViewColumn.Active });
  return {
    /** Fills a panel restored by the editor. */
    restore: (panel: vscode.WebviewPanel): void => tab.restore(panel),
    /** Opens the table or brings it to the front, and selects runs to compare; null = keep the last selection. */
    open: (folders: readonly string[] | null): void => {
      open();
      if (folders !== null) tab.send({ kind: "choose", folders });
    },
    /** Opens the table or brings it to the front, at the sweep's settings. */
    showSweep: (id: string): void => {
      open();
      tab.send({ kind: "show-sweep", id });
    },
    dispose: (): void => tab.dispose(),
  };
}

export type RunsTable = ReturnType<typeof createRunsTable>;
