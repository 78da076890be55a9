/**
 * Which run a command is about: the row it was called on, the only match, or the user's pick, with the shown or selected run listed first.
 */

import * as vscode from "vscode";
import * as z from "zod";
import type { RunEntry } from "../../api/runs.ts";
import { runIdOf } from "../../server/runs/runId.ts";
import { ON_SELECTION } from "../manifest/commandRow.ts";
import { workspaceFolderOf } from "../runs/inWorkspace.ts";
import type { RunLabels } from "../runs/runLabels.ts";
import type { RunList } from "../runs/runList.ts";
import type { Trainings } from "../runs/trainings.ts";
import { runRow } from "../views/runRow.ts";
import { offerInstead, offersToTrain, showRuns } from "../vscode/offerInstead.ts";
import { type Button, plainWindow } from "../vscode/plainWindow.ts";

export interface ChooseRunOptions {
  readonly store: RunList;
  readonly labels: RunLabels;
  readonly trainings: Pick<Trainings, "active">;
  /** Folder of the run in the dashboard; null = none. */
  readonly shownFolder: () => string | null;
  /** The Runs view. */
  readonly tree: { readonly selection: readonly unknown[] };
}

export interface RunChoice {
  readonly placeHolder: string;
  /** Message if no run fits. */
  readonly none: string;
  readonly fits: (run: RunEntry) => boolean;
}

/** The id of a sweep's row in the Runs view; undefined for anything else. */
export function sweepOf(target: unknown): string | undefined {
  return sweepRowSchema.safeParse(target).data?.id;
}

const sweepRowSchema = z.object({ kind: z.literal("sweep"), id: z.string() });

/** Undefined when there is none, or the user picked none. */
export async function chooseRun(
  { store, labels, trainings, shownFolder, tree }: ChooseRunOptions,
  target: unknown,
  { placeHolder, none, fits }: RunChoice,
): Promise<RunEntry | undefined> {
  const inTable = tableRow.safeParse(target).data;
  if (inTable !== undefined) return runOfTable(store, inTable.run);
  const folder = dashboardTitle.safeParse(target).success ? shownFolder() : folderOf(target);
  if (folder !== null) return listedRun(store, folder);
  await store.refresh();
  const runs = store.runs.filter(fits);
  const [only, ...others] = runs;
  if (only === undefined) {
    // A run gets its folder and is listed once the services have answered.
    const isFirstOnItsWay = store.runs.length === 0 && trainings.active.length > 0;
    const onItsWay = vscode.l10n.t("The run is being prepared. It is listed when it begins.");
    if (isFirstOnItsWay) void offerInstead(onItsWay);
    else void offerInstead(none, offersFor(store));
    return undefined;
  }
  // A null target is a row that got lost; it may not have been this run, so ask.
  if (others.length === 0 && target !== null) return only;
  const likely = [shownFolder(), ...tree.selection.map(folderOf)];
  const isLikely = ({ folder }: RunEntry): boolean => likely.includes(folder);
  const offered = [...runs.filter(isLikely), ...runs.filter((run) => !isLikely(run))];
  const items = offered.map((run) => {
    return { ...runItem(run, labels.isArchived(run.folder)), run };
  });
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.run;
}

/** A run as an item of a list. */
export function runItem(run: RunEntry, isArchived = false) {
  const place = workspaceFolderOf(run.folder);
  const { label, description } = runRow(run, { isArchived, isSpinning: false, place });
  return { label, description };
}

/** {@link chooseRun} for commands that work with most runs. */
export function chooseAnyRun(
  options: ChooseRunOptions,
  target: unknown,
  fits: RunChoice["fits"] = () => true,
  none = vscode.l10n.t("No run here fits this command."),
): Promise<RunEntry | undefined> {
  return chooseRun(options, target, { placeHolder: vscode.l10n.t("Which run?"), none, fits });
}

/** @throws Error for a live run */
export function refuseLive(run: RunEntry): void {
  if (run.isLive) throw new Error(vscode.l10n.t("{0} is running. Stop it first.", run.name));
}

/**
 * The selected runs, if the command was called by a key in the Runs view or on one of several selected rows (also in the runs table);
 * otherwise {@link chooseAnyRun}. A key without a selection asks, because it does not identify the focused row. Empty if none was picked.
 */
export async function chooseRuns(
  options: ChooseRunOptions,
  [target, selection]: readonly unknown[],
  fits?: RunChoice["fits"],
  none?: string,
): Promise<readonly RunEntry[]> {
  const isKey = onSelection.safeParse(target).success;
  // A lost row, and the palette, do not refer to the selected rows.
  const several = isRunRow(target) && Array.isArray(selection) ? selection : [];
  const rows = (isKey ? options.tree.selection : several).filter(isRunRow);
  const selected = [
    ...rows.flatMap((row) => options.store.get(folderOf(row) ?? "") ?? []),
    ...chosenInTable(options.store, target),
  ];
  // A single row may be one that was just redrawn.
  if (selected.length > (isKey ? 0 : 1)) return selected;
  const run = await chooseAnyRun(options, isKey ? null : target, fits, none);
  return run === undefined ? [] : [run];
}

/** The selected runs of the runs table, if `target` is one of their rows. */
function chosenInTable({ runs }: RunList, target: unknown): readonly RunEntry[] {
  const { run, chosen = [] } = tableRow.safeParse(target).data ?? {};
  if (run === undefined || !chosen.includes(run)) return [];
  return runs.filter(({ folder }) => chosen.includes(runIdOf(folder)));
}

/** Excludes checkpoints and files below a run, which also contain its folder. */
function isRunRow(row: unknown): boolean {
  return runRowSchema.safeParse(row).success;
}

/**
 * {@link chooseRuns} for commands that remove runs; `noneEnded` is the message if all matching runs are live. @throws Error if a chosen one
 * is live
 */
export async function chooseEndedRuns(
  options: ChooseRunOptions,
  called: readonly unknown[],
  { noneEnded, fits }: Pick<RunChoice, "fits"> & { readonly noneEnded: string },
): Promise<readonly RunEntry[]> {
  const none = options.store.runs.some(fits) ? noneEnded : undefined;
  const runs = await chooseRuns(options, called, (each) => !each.isLive && fits(each), none);
  for (const run of runs) refuseLive(run);
  return runs;
}

const onSelection = z.object({ rows: z.literal(ON_SELECTION.rows) });
const runRowSchema = z.object({ kind: z.literal("run") });
/** What the editor passes to a command in the dashboard's title bar. */
const dashboardTitle = z.object({ scheme: z.literal("webview-panel") });
/** What the editor passes from a row's menu in the runs table: ids of the row and of the selected runs. */
const tableRow = z.object({
  webview: z.string(),
  run: z.string(),
  chosen: z.array(z.string()).default([]),
});
const withFolder = z.object({ folder: z.string() });

/** Undefined if the run no longer exists; the user is informed. */
export async function listedRun(store: RunList, folder: string): Promise<RunEntry | undefined> {
  const run = store.get(folder);
  if (run !== null) return run;
  const text = vscode.l10n.t("The run in {0} is no longer in the list.", folder);
  await offerInstead(text, offersFor(store));
  return undefined;
}

/** Like {@link listedRun} for a row of the runs table, whose page does not know folders. */
async function runOfTable(store: RunList, id: string): Promise<RunEntry | undefined> {
  const run = store.runs.find(({ folder }) => runIdOf(folder) === id);
  if (run === undefined) {
    await offerInstead(vscode.l10n.t("This run is no longer in the list."), offersFor(store));
  }
  return run;
}

function offersFor({ runs }: RunList): readonly Button[] {
  return runs.length === 0 ? offersToTrain() : [showRuns()];
}

/** The runs that a list command is about: all selected ones if it was called on one of them or by a key. */
export function foldersOf(
  target: unknown,
  selection: unknown,
  view: { readonly selection: readonly unknown[] },
): readonly string[] {
  const rows: readonly unknown[] = Array.isArray(selection)
    ? selection
    : target == null
      ? view.selection
      : [target];
  return [...new Set(rows.flatMap((row) => folderOf(row) ?? []))];
}

/** The run folder in a view's row or from the dashboard; null for anything else. */
export function folderOf(target: unknown): string | null {
  return withFolder.safeParse(target).data?.folder ?? null;
}
