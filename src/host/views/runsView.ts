/** The Runs view: one row per run, with its checkpoints and files below it. */

import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { plural } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { RowText } from "../../shared/rowText.ts";
import { commandName } from "../manifest/commandTable.ts";
import { workspaceFolderOf } from "../runs/inWorkspace.ts";
import type { RunAlarms } from "../runs/runAlarms.ts";
import type { RunLabels } from "../runs/runLabels.ts";
import type { RunList } from "../runs/runList.ts";
import type { Holder } from "../runs/runSlots.ts";
import type { Trainings } from "../runs/trainings.ts";
import { checkpointItem, type SavedNode, savedNodes } from "./checkpointsView.ts";
import { runLogUri } from "./runLogDocuments.ts";
import { byAttention } from "./runOrder.ts";
import { runRow } from "./runRow.ts";
import { runTooltip } from "./runTooltip.ts";
import type { SavedSource } from "./savedCheckpoints.ts";
import { sweepRow } from "./sweepRow.ts";
import { treeItem } from "./treeItem.ts";

export type RunNode =
  | { readonly kind: "run"; readonly folder: string }
  | {
      readonly kind: "part";
      readonly folder: string;
      readonly part: "config" | "events" | "folder";
    }
  | SavedNode
  /** The older checkpoints of a run. */
  | { readonly kind: "older"; readonly folder: string }
  /** `id` is the sweep's id in its runs' files. */
  | { readonly kind: "sweep"; readonly id: string }
  | { readonly kind: "waiting"; readonly holder: Holder }
  /** A training that does not have a run folder yet. */
  | { readonly kind: "starting"; readonly title: string };

export interface RunsViewOptions {
  readonly store: RunList;
  readonly trainings: Trainings;
  readonly labels: RunLabels;
  readonly alarms: RunAlarms;
  readonly saved: SavedSource;
}

/** Number of checkpoints shown per run; the best one is always shown. */
const NEWEST_SHOWN = 5;

/** Minimum time between redraws of rows. */
const REDRAW_MS = 250;

export class RunsView implements vscode.TreeDataProvider<RunNode>, vscode.Disposable {
  readonly #options: RunsViewOptions;
  readonly #changes = new vscode.EventEmitter<RunNode | undefined>();
  readonly #nodes = new Map<string, RunNode>();
  /** Rows of runs as last drawn, by folder. */
  readonly #drawn = new Map<string, RowText>();
  /** Checkpoints below runs as last drawn, by folder. */
  readonly #drawnSaves = new Map<string, string>();
  /** The list as last drawn. */
  #listed = "";
  readonly #listening: readonly Listening[];
  #showsArchived = false;

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(options: RunsViewOptions) {
    this.#options = options;
    this.#listening = [
      options.store.onDidChange(this.redraw),
      options.trainings.onDidChange(this.redraw),
      options.alarms.onDidChange(this.redraw),
    ];
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
    this.redraw.dispose();
    this.#changes.dispose();
  }

  /** Redraws only changed rows, because clicks and menus find no row while the whole tree is redrawn. */
  readonly redraw = soon(REDRAW_MS, () => {
    if (this.#list() !== this.#listed) {
      this.#changes.fire(undefined);
      return;
    }
    for (const run of this.#shown()) {
      const isSame = isDeepStrictEqual(this.#drawn.get(run.folder), this.#row(run));
      if (!isSame) this.#changes.fire(this.#node(run.folder));
    }
    void this.#redrawSaves();
  });

  /** Shows or hides archived runs. */
  showArchived(isShown: boolean): void {
    this.#showsArchived = isShown;
    this.redraw();
  }

  async getChildren(node?: RunNode): Promise<RunNode[]> {
    if (node === undefined) {
      this.#listed = this.#list();
      const { waiting } = this.#options.trainings;
      return [
        ...waiting.map((holder): RunNode => ({ kind: "waiting", holder })),
        ...this.#starting.map((title): RunNode => ({ kind: "starting", title })),
        ...this.#topNodes(),
      ];
    }
    if (node.kind === "sweep") return this.#runsOf(node.id).map(({ folder }) => this.#node(folder));
    if (node.kind === "older") return (await this.#saves(node.folder)).older;
    return node.kind === "run" ? this.#belowRun(node.folder) : [];
  }

  getTreeItem(node: RunNode): vscode.TreeItem | Promise<vscode.TreeItem> {
    switch (node.kind) {
      case "run": {
        const run = this.#options.store.get(node.folder);
        return run === null ? new vscode.TreeItem(node.folder) : this.#runItem(run);
      }
      case "part":
        return partItem(node);
      case "checkpoint":
        return checkpointItem(node);
      case "older":
        return this.#olderItem(node.folder);
      case "sweep":
        return this.#sweepItem(node.id);
      case "waiting":
        return plannedItem(node.holder.title, {
          description: vscode.l10n.t("waits for another run"),
          icon: "watch",
          context: "waiting",
        });
      case "starting":
        return plannedItem(node.title, {
          description: vscode.l10n.t("starting"),
          icon: "loading~spin",
        });
    }
  }

  resolveTreeItem(item: vscode.TreeItem, node: RunNode): vscode.TreeItem {
    const run = node.kind === "run" ? this.#options.store.get(node.folder) : null;
    if (run !== null) item.tooltip = runTooltip(run, this.#options.alarms.idsOf(run));
    return item;
  }

  async #belowRun(folder: string): Promise<RunNode[]> {
    const { newest, older } = await this.#saves(folder);
    this.#drawnSaves.set(folder, JSON.stringify([newest, older]));
    return [
      ...newest,
      ...(older.length === 0 ? [] : [this.#kept(`older:${folder}`, { kind: "older", folder })]),
      ...(["config", "events", "folder"] as const).map(
        (part): RunNode => ({ kind: "part", folder, part }),
      ),
    ];
  }

  async #saves(folder: string): Promise<{ newest: SavedNode[]; older: SavedNode[] }> {
    const nodes = await savedNodes(this.#options.saved, folder);
    const isShown = ({ entry }: SavedNode, index: number): boolean =>
      index < NEWEST_SHOWN || entry.best !== undefined;
    return {
      newest: nodes.filter(isShown),
      older: nodes.filter((node, index) => !isShown(node, index)),
    };
  }

  async #olderItem(folder: string): Promise<vscode.TreeItem> {
    const { older } = await this.#saves(folder);
    const label = plural(older.length, "{0} older checkpoint", "{0} older checkpoints");
    const row = { label, id: `older:${folder}`, icon: "history" };
    return treeItem(row, vscode.TreeItemCollapsibleState.Collapsed);
  }

  #runItem(run: RunEntry): vscode.TreeItem {
    const row = this.#row(run);
    this.#drawn.set(run.folder, row);
    const title = vscode.l10n.t("Open Dashboard");
    const command = { command: commandName("openSelectedRun"), title };
    const { Collapsed } = vscode.TreeItemCollapsibleState;
    return treeItem({ ...row, id: run.folder, command }, Collapsed);
  }

  #row(run: RunEntry): RowText {
    return runRow(this.#current(run), {
      isArchived: this.#options.labels.isArchived(run.folder),
      place: workspaceFolderOf(run.folder),
      isSpinning: run.isLive && this.#shown().find(({ isLive }) => isLive)?.folder === run.folder,
    });
  }

  /** The run with the alarms that fire now. */
  #current(run: RunEntry): RunEntry {
    return { ...run, alarms: this.#options.alarms.idsOf(run) };
  }

  #sweepRow(id: string, runs: readonly RunEntry[]): RowText {
    return sweepRow(runs, this.#options.trainings.sweep(id) !== undefined);
  }

  #sweepItem(id: string): vscode.TreeItem {
    const row = this.#sweepRow(id, this.#runsOf(id));
    const tooltip = `${row.label}\n${row.description}`;
    const { Expanded } = vscode.TreeItemCollapsibleState;
    return treeItem({ ...row, id: `sweep:${id}`, tooltip }, Expanded);
  }

  /** Titles of trainings that will become runs. */
  get #starting(): readonly string[] {
    return this.#options.trainings.active.flatMap(({ folder, request: { title, instead } }) => {
      const isRun = instead === undefined || instead.kind === "evaluate";
      return isRun && folder === null ? [title] : [];
    });
  }

  /** Fingerprint of the rows in order, and of the content of sweep rows. */
  #list(): string {
    const shown = this.#shown();
    const folders = shown.map(({ folder }) => folder);
    const members = shown.flatMap((run) =>
      run.file?.sweep === undefined ? [] : [this.#current(run)],
    );
    const sweeps = [...groupBy(members, ({ file }) => file?.sweep?.id ?? "")].map(([id, runs]) =>
      this.#sweepRow(id, runs),
    );
    const waiting = this.#options.trainings.waiting.map(({ title }) => title);
    return JSON.stringify([waiting, this.#starting, folders, sweeps]);
  }

  /** Runs and sweeps; a sweep takes the position of its first run. */
  #topNodes(): readonly RunNode[] {
    const nodes = this.#shown().map(({ folder, file }) => {
      return file?.sweep === undefined ? this.#node(folder) : this.#sweepNode(file.sweep.id);
    });
    return [...new Set(nodes)];
  }

  /** In the order of the combinations. */
  #runsOf(id: string): readonly RunEntry[] {
    const own = this.#unarchived().filter(({ file }) => file?.sweep?.id === id);
    const place = ({ file }: RunEntry): number => file?.sweep?.combination ?? 0;
    return own.toSorted((a, b) => place(a) - place(b)).map((run) => this.#current(run));
  }

  #shown(): readonly RunEntry[] {
    return byAttention(this.#unarchived(), Date.now());
  }

  /** Includes archived runs if they are shown. */
  #unarchived(): readonly RunEntry[] {
    const { store, labels } = this.#options;
    return store.runs.filter(({ folder }) => this.#showsArchived || !labels.isArchived(folder));
  }

  #node(folder: string): RunNode {
    return this.#kept(folder, { kind: "run", folder });
  }

  #sweepNode(id: string): RunNode {
    return this.#kept(`sweep:${id}`, { kind: "sweep", id });
  }

  /** Reuses node objects, because the tree identifies nodes by identity. */
  #kept(key: string, node: RunNode): RunNode {
    const known = this.#nodes.get(key) ?? node;
    this.#nodes.set(key, known);
    return known;
  }

  async #redrawSaves(): Promise<void> {
    for (const [folder, drawn] of this.#drawnSaves) {
      const { newest, older } = await this.#saves(folder);
      if (JSON.stringify([newest, older]) !== drawn) this.#changes.fire(this.#node(folder));
    }
  }
}

function plannedItem(
  label: string,
  row: { readonly description: string; readonly icon: string; readonly context?: string },
): vscode.TreeItem {
  const tooltip = `${label}\n${row.description}`;
  return treeItem({ ...row, label, tooltip, spoken: `${label}, ${row.description}` });
}

function partItem({ folder, part }: Extract<RunNode, { kind: "part" }>): vscode.TreeItem {
  const paths = runPaths(folder);
  const row = {
    config: {
      label: vscode.l10n.t("Configuration"),
      icon: "settings-gear",
      tooltip: paths.resolvedConfig,
    },
    events: { label: vscode.l10n.t("Log"), icon: "output", tooltip: paths.events },
    folder: { label: vscode.l10n.t("Folder"), icon: "folder", tooltip: folder },
  }[part];
  const { label } = row;
  const uri = part === "events" ? runLogUri(folder) : vscode.Uri.file(row.tooltip);
  const command =
    part === "folder"
      ? { command: commandName("openSelectedRun"), title: label }
      : { command: "vscode.open", title: label, arguments: [uri] };
  return treeItem({ ...row, command });
}
