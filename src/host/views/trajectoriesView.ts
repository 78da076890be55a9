/** The Trajectories view: steps and evaluations, groups, and rollouts of the viewed run. */

import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import {
  type RolloutOrder,
  TRAJECTORY_REQUESTS,
  type TrajectoriesRequest,
  type TrajectoryRow,
  type TrajectoryRows,
  type TreeFilter,
} from "../../api/trajectories.ts";
import { isAppError } from "../../core/errors.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { formatReward } from "../../shared/format.ts";
import type { RolloutKey, RolloutSet } from "../../shared/rolloutSet.ts";
import { commandName } from "../manifest/commandTable.ts";
import { ask } from "../server/ask.ts";
import type { FollowRun } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";
import { readSetting } from "../vscode/settings.ts";
import { treeItem } from "./treeItem.ts";

export type TrajectoryNode =
  | ({ readonly kind: "step"; readonly folder: string } & RolloutSet)
  | ({ readonly kind: "group"; readonly folder: string; readonly group: number } & RolloutSet)
  | ({ readonly kind: "rollout"; readonly folder: string } & RolloutKey)
  | { readonly kind: "more"; readonly count: number };

/** A row with children. */
type ParentNode = Exclude<TrajectoryNode, { kind: "rollout" | "more" }>;

export interface TrajectoriesViewOptions {
  readonly follow: FollowRun;
  readonly server: Server;
  /** Shows a message above the rows; empty = none. */
  readonly showMessage: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Minimum time between redraws of rows. */
const REDRAW_MS = 300;

export class TrajectoriesView
  implements vscode.TreeDataProvider<TrajectoryNode>, vscode.Disposable
{
  readonly #options: TrajectoriesViewOptions;
  readonly #changes = new vscode.EventEmitter<TrajectoryNode | undefined>();
  readonly #nodes = new Map<string, TrajectoryNode>();
  readonly #rows = new Map<TrajectoryNode, TrajectoryRow>();
  #folder: string | null = null;
  #following: Listening | null = null;
  #shownSteps = 0;
  #filter: TreeFilter | null = null;
  #order: RolloutOrder = "number";
  /** The drawn children of the run (null) and of each expanded row. */
  readonly #drawnBelow = new Map<ParentNode | null, TrajectoryRows>();

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(options: TrajectoriesViewOptions) {
    this.#options = options;
    this.#shownSteps = readSetting("trajectories.pageSize");
  }

  dispose(): void {
    this.#leave();
    this.#changes.dispose();
  }

  get order(): RolloutOrder {
    return this.#order;
  }

  /** Switches to another run, or to none. */
  show(folder: string | null): void {
    if (folder === this.#folder) return;
    this.#leave();
    this.#folder = folder;
    this.#shownSteps = readSetting("trajectories.pageSize");
    if (folder !== null) {
      this.#following = this.#options.follow(folder, ({ hasSteps }) => {
        // A step's groups can grow without a change of the steps.
        if (folder === this.#folder && (hasSteps || this.#drawnBelow.size > 1)) this.#soon();
      });
    }
    // Clears the rows immediately, so that the previous run's rows are not mistaken for this run's.
    this.#changes.fire(undefined);
  }

  setFilter(filter: TreeFilter | null): void {
    this.#filter = filter;
    this.#updateMessage(this.#drawnBelow.get(null)?.why ?? "");
    this.#soon();
  }

  setOrder(order: RolloutOrder): void {
    this.#order = order;
    this.#soon();
  }

  showMore(): void {
    this.#shownSteps += readSetting("trajectories.pageSize");
    this.#soon();
  }

  /** The newest step's row, for *Follow Latest Step*; null if there is none. */
  async latest(): Promise<TrajectoryNode | null> {
    const folder = this.#folder;
    const found = folder === null ? null : await this.#ask(folder, null);
    const row = found?.rows.find(({ source }) => source === "training");
    if (folder === null || row === undefined || folder !== this.#folder) return null;
    return this.#drawn(folder, row);
  }

  async getChildren(node?: TrajectoryNode): Promise<TrajectoryNode[]> {
    if (node?.kind === "rollout" || node?.kind === "more") return [];
    return this.#parts(node ?? null);
  }

  getTreeItem(node: TrajectoryNode): vscode.TreeItem {
    const item = this.#item(node);
    // Row keys repeat across runs, so the id prevents a click from hitting a row of the previous run.
    item.id = keyOf(node);
    return item;
  }

  #item(node: TrajectoryNode): vscode.TreeItem {
    if (node.kind === "more") return moreItem(node.count);
    const row = this.#rows.get(node);
    if (row === undefined) return new vscode.TreeItem("");
    const drawn = { ...row.text, tooltip: row.tooltip };
    if (node.kind !== "rollout") return treeItem(drawn, vscode.TreeItemCollapsibleState.Collapsed);
    const title = vscode.l10n.t("Open Rollout");
    const command = { command: commandName("openSelectedRollout"), title };
    return treeItem({ ...drawn, command });
  }

  /** The children of `node`; null = the run. */
  async #parts(node: ParentNode | null): Promise<TrajectoryNode[]> {
    const folder = this.#folder;
    if (folder === null) {
      this.#updateMessage("");
      return [];
    }
    const found = await this.#ask(folder, node);
    // The view may have switched to another run.
    if (folder !== this.#folder) return [];
    if (found === null) {
      this.#drawnBelow.clear();
      return [];
    }
    if (node === null) this.#updateMessage(found.why);
    this.#drawnBelow.set(node, found);
    const nodes = found.rows.map((row) => this.#drawn(folder, row));
    return found.more > 0 ? [...nodes, { kind: "more", count: found.more }] : nodes;
  }

  /** Null if the server has ended; the view asks again once the next server follows the run. */
  async #ask(folder: string, node: ParentNode | null): Promise<TrajectoryRows | null> {
    const request: TrajectoriesRequest = {
      folder,
      of: node && {
        source: node.source,
        step: node.step,
        group: node.kind === "group" ? node.group : undefined,
      },
      filter: this.#filter,
      order: this.#order,
      limit: this.#shownSteps,
    };
    try {
      return await ask<TrajectoryRows>(this.#options.server, TRAJECTORY_REQUESTS.rows, request);
    } catch (error) {
      if (isAppError(error, "server-stopped")) return null;
      throw error;
    }
  }

  #drawn(folder: string, row: TrajectoryRow): TrajectoryNode {
    const { source, step, group, rollout } = row;
    const node = this.#node(
      group === undefined
        ? { kind: "step", folder, source, step }
        : rollout === undefined
          ? { kind: "group", folder, source, step, group }
          : { kind: "rollout", folder, source, step, group, rollout },
    );
    this.#rows.set(node, row);
    return node;
  }

  #updateMessage(otherwise: string): void {
    const filter = this.#filter;
    const only = filter === null ? null : vscode.l10n.t("Only {0}", describeFilter(filter));
    this.#options.showMessage(only ?? otherwise);
  }

  /** Returns the same object for the same row, because VS Code tracks expanded rows by identity. */
  #node(node: TrajectoryNode): TrajectoryNode {
    const key = keyOf(node);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    this.#nodes.set(key, node);
    return node;
  }

  #leave(): void {
    this.#following?.dispose();
    this.#following = null;
    this.#folder = null;
    this.#drawnBelow.clear();
    this.#nodes.clear();
    this.#rows.clear();
    this.#soon.dispose();
  }

  readonly #soon = soon(REDRAW_MS, () => {
    this.#redraw().catch(this.#options.onError);
  });

  /** Redraws only if a row has changed, because VS Code loses keystrokes during a redraw. */
  async #redraw(): Promise<void> {
    const folder = this.#folder;
    if (folder === null || !(await this.#isOutdated(folder)) || folder !== this.#folder) return;
    this.#drawnBelow.clear();
    this.#changes.fire(undefined);
  }

  async #isOutdated(folder: string): Promise<boolean> {
    for (const [node, drawn] of [...this.#drawnBelow]) {
      const found = await this.#ask(folder, node);
      if (found !== null && !isDeepStrictEqual(found, drawn)) return true;
    }
    return this.#drawnBelow.size === 0;
  }
}

/** The filter as text, for the message above the view. */
function describeFilter(filter: TreeFilter): string {
  switch (filter.kind) {
    case "reward": {
      const [from, to] = [formatReward(filter.from), formatReward(filter.to)];
      return vscode.l10n.t("reward from {0} to {1}", from, to);
    }
    case "stop":
      return vscode.l10n.t("rollouts that ended by {0}", filter.stop.replaceAll("_", " "));
    case "failed":
      return vscode.l10n.t("failed rollouts");
    case "excluded":
      return vscode.l10n.t("rollouts that were not trained on");
    case "tool errors":
      return vscode.l10n.t("rollouts with failed tool calls");
  }
}

function moreItem(count: number): vscode.TreeItem {
  const label = vscode.l10n.t("Show More Steps");
  const description = vscode.l10n.t("{0} older", count);
  const command = { command: commandName("showMoreSteps"), title: label };
  return treeItem({ label, description, icon: "ellipsis", command });
}

function keyOf(node: TrajectoryNode): string {
  return JSON.stringify(node);
}
