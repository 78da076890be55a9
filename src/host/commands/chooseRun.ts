/** Which run a command is about: the row it was called on, the only one that fits, or the one that the user picks, where the run that is shown or selected comes first. */

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
import { type Offer, offerInstead, offersToTrain, showRuns } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";

export interface ChooseRunOptions {
  readonly store: RunList;
  readonly labels: RunLabels;
  readonly trainings: Pick<Trainings, "active">;
  /** Folder of the run that the dashboard shows; null = none. */
  readonly shownFolder: () => string | null;
  /** The Runs view. */
  readonly tree: { readonly selection: readonly unknown[] };
}

export interface RunChoice {
  readonly placeHolder: string;
  /** Said when no run fits. */
  readonly none: string;
  readonly fits: (run: RunEntry) => boolean;
}

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
    const isFirstOnItsWay = store.runs.length === 0 && trainings.active.length > 0;
    if (isFirstOnItsWay) void offerInstead(onItsWayText(), []);
    else void offerInstead(none, offersFor(store));
    return undefined;
  }
  // A lost row cannot be matched to this one.
  if (others.length === 0 && target !== null) return only;
  const likely = [shownFolder(), ...tree.selection.map(folderOf)];
  const isLikely = ({ folder }: RunEntry): boolean => likely.includes(folder);
  const offered = [...runs.filter(isLikely), ...runs.filter((run) => !isLikely(run))];
  const items = offered.map((run) => {
    const isArchived = labels.isArchived(run.folder);
    const { label, description } = runRow(run, {
      isArchived,
      isSpinning: false,
      place: workspaceFolderOf(run.folder),
    });
    return { label, description, run };
  });
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.run;
}

/** {@link chooseRun} for commands that can do something with most runs. */
export function chooseAnyRun(
  options: ChooseRunOptions,
  target: unknown,
  fits: RunChoice["fits"] = () => true,
  none = vscode.l10n.t("No run here fits this command."),
): Promise<RunEntry | undefined> {
  return chooseRun(options, target, { placeHolder: vscode.l10n.t("Which run?"), none, fits });
}

/** @throws for a run in progress */
export function refuseLive(run: RunEntry): void {
  if (run.isLive) throw new Error(vscode.l10n.t("{0} is running. Stop it first.", run.name));
}

/**
 * The selected rows of runs where the command was called by a key of the Runs view or on one of several, also in the runs table, else {@link chooseAnyRun};
 * a key asks where no run is selected, because it says nothing about the row that has the focus.
 * Empty where none was picked.
 */
export async function chooseRuns(
  options: ChooseRunOptions,
  [target, selection]: readonly unknown[],
  fits?: RunChoice["fits"],
  none?: string,
): Promise<readonly RunEntry[]> {
  const isKey = onSelection.safeParse(target).success;
  // A lost row, and the palette, are about none of the selected ones.
  const several = isRunRow(target) && Array.isArray(selection) ? selection : [];
  const rows = (isKey ? options.tree.selection : several).filter(isRunRow);
  const selected = [
    ...rows.flatMap((row) => options.store.get(folderOf(row) ?? "") ?? []),
    ...chosenInTable(options.store, target),
  ];
  // A row alone may be one that has just been drawn again.
  if (selected.length > (isKey ? 0 : 1)) return selected;
  const run = await chooseAnyRun(options, isKey ? null : target, fits, none);
  return run === undefined ? [] : [run];
}

/** The runs that are chosen in the runs table where `target` is one of their rows. */
function chosenInTable({ runs }: RunList, target: unknown): readonly RunEntry[] {
  const { run, chosen = [] } = tableRow.safeParse(target).data ?? {};
  if (run === undefined || !chosen.includes(run)) return [];
  return runs.filter(({ folder }) => chosen.includes(runIdOf(folder)));
}

/** Checkpoints and files below a run name its folder, too. */
function isRunRow(row: unknown): boolean {
  return runRowSchema.safeParse(row).success;
}

/** {@link chooseRuns} for commands that take runs away; `noneEnded` is said when all that fit are in progress. @throws when one is */
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
/** What the editor hands to a command in the title bar of the dashboard. */
const dashboardTitle = z.object({ scheme: z.literal("webview-panel") });
/** What it hands over from the menu of a row of the runs table: ids, of the row and of the runs chosen in the table. */
const tableRow = z.object({
  webview: z.string(),
  run: z.string(),
  chosen: z.array(z.string()).default([]),
});
const withFolder = z.object({ folder: z.string() });

/** Undefined when there is no such run any more, which the user learns. */
export async function listedRun(store: RunList, folder: string): Promise<RunEntry | undefined> {
  const run = store.get(folder);
  if (run !== null) return run;
  const text = vscode.l10n.t("The run in {0} is no longer in the list.", folder);
  await offerInstead(text, offersFor(store));
  return undefined;
}

/** The same for a row of the runs table, whose page knows no folder. */
async function runOfTable(store: RunList, id: string): Promise<RunEntry | undefined> {
  const run = store.runs.find(({ folder }) => runIdOf(folder) === id);
  if (run === undefined) {
    await offerInstead(vscode.l10n.t("This run is no longer in the list."), offersFor(store));
  }
  return run;
}

/** A run has its folder, and is listed, once the services have answered. */
function onItsWayText(): string {
  return vscode.l10n.t("The run is being prepared. It is listed when it begins.");
}

function offersFor({ runs }: RunList): readonly Offer[] {
  if (runs.length === 0) return offersToTrain();
  return [showRuns()];
}

/** The runs that a command of a list is about: all that are selected where it was called on one of them, or by a key. */
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

/** The run folder that a row of a view or the dashboard names; null for anything else. */
export function folderOf(target: unknown): string | null {
  return withFolder.safeParse(target).data?.folder ?? null;
}
