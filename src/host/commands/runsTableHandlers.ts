/** Handlers of the commands that open the runs table. */

import * as vscode from "vscode";
import { groupBy } from "../../shared/groupBy.ts";
import { MAX_COMPARED } from "../../shared/runsPage.ts";
import type { RunsTable } from "../dashboard/runsTable.ts";
import type { RunList } from "../runs/runList.ts";
import type { RunNode } from "../views/runsView.ts";
import { sweepRow } from "../views/sweepRow.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { foldersOf, runItem, sweepOf } from "./chooseRun.ts";

export interface RunsTableHandlerOptions {
  readonly store: RunList;
  readonly table: Pick<RunsTable, "open" | "showSweep">;
  /** The Runs view. */
  readonly tree: { readonly selection: readonly RunNode[] };
}

export function runsTableHandlers({ store, table, tree }: RunsTableHandlerOptions) {
  return {
    openRunsTable: () => table.open(null),
    showSweep: async (target) => {
      const id = sweepOf(target) ?? (await chooseSweep(store, target));
      if (id !== undefined) table.showSweep(id);
    },
    compareRuns: async (target, selection) => {
      const named = foldersOf(target, selection, tree);
      const folders = named.length > 1 ? named : await askRuns(store, named);
      if (folders !== undefined && folders.length > 0) table.open(folders.slice(0, MAX_COMPARED));
    },
  } satisfies Partial<CommandHandlers>;
}

/** The only sweep, or the user's pick (newest first); undefined if there is none, or none was picked. */
async function chooseSweep(store: RunList, target: unknown): Promise<string | undefined> {
  await store.refresh();
  const sweeps = groupBy(
    store.runs.filter(({ file }) => file?.sweep !== undefined),
    ({ file }) => file?.sweep?.id ?? "",
  );
  const items = [...sweeps].map(([id, runs]) => {
    const { label, description } = sweepRow(runs, false);
    return { label, description, id };
  });
  const [only, ...others] = items;
  if (only === undefined) {
    void plainWindow.showInformationMessage(vscode.l10n.t("There is no sweep here."));
    return undefined;
  }
  // A null target is a row that got lost; it may not have been this sweep, so ask.
  if (others.length === 0 && target !== null) return only.id;
  const placeHolder = vscode.l10n.t("Which sweep?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.id;
}

/** Undefined if the user dismissed the prompt. */
async function askRuns(
  store: RunList,
  picked: readonly string[],
): Promise<readonly string[] | undefined> {
  const items = store.runs.map((run) => {
    const { folder } = run;
    return { ...runItem(run), folder, picked: picked.includes(folder) };
  });
  const placeHolder = vscode.l10n.t("Which runs? Up to {0}.", MAX_COMPARED);
  const chosen = await plainWindow.showQuickPickMany(items, { placeHolder });
  return chosen?.map(({ folder }) => folder);
}
