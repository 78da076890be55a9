/** The Trajectories view: step or evaluation, group, rollout of the run that is looked at. */

import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import {
  readSuccessRewards,
  type SuccessRewards,
  usualSuccessReward,
} from "../../core/runFolder/successRewards.ts";
import { groupBy } from "../../core/util/groupBy.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { soon } from "../../node/soon.ts";
import type { FollowedRun, RunFeeds } from "../../server/runs/runFeed.ts";
import { newestSets, type RolloutKey, type RolloutSet, setName } from "../../shared/rolloutSet.ts";
import { readSetting } from "../vscode/settings.ts";
import {
  describeFilter,
  inOrder,
  isShown,
  type RolloutOrder,
  type TreeFilter,
} from "./rolloutFilter.ts";
import type { RowText } from "./runRow.ts";
import {
  evaluationRow,
  groupRow,
  noStepsText,
  rolloutItemRow,
  stepRow,
  trainingUseText,
} from "./trajectoryRows.ts";
import { treeItem } from "./treeItem.ts";

export type TrajectoryNode =
  | ({ readonly kind: "step"; readonly folder: string } & RolloutSet)
  | ({ readonly kind: "group"; readonly folder: string; readonly group: number } & RolloutSet)
  | ({ readonly kind: "rollout"; readonly folder: string } & RolloutKey)
  | { readonly kind: "more"; readonly count: number };

type StepNode = Extract<TrajectoryNode, { kind: "step" }>;
type GroupNode = Extract<TrajectoryNode, { kind: "group" }>;

export interface TrajectoriesViewOptions {
  readonly feeds: RunFeeds;
  readonly fileSystem: FileSystem;
  /** True while a trainer is at work on the run in this folder. */
  readonly isLive: (folder: string) => boolean;
  /** Shows a line above the rows; empty for none. */
  readonly showMessage: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Rows are redrawn at most this often. */
const REDRAW_MS = 300;

export class TrajectoriesView
  implements vscode.TreeDataProvider<TrajectoryNode>, vscode.Disposable
{
  readonly #options: TrajectoriesViewOptions;
  readonly #changes = new vscode.EventEmitter<TrajectoryNode | undefined>();
  readonly #nodes = new Map<string, TrajectoryNode>();
  #run: FollowedRun | null = null;
  #listening: { dispose(): void } | null = null;
  #shownSteps = 0;
  #filter: TreeFilter | null = null;
  #order: RolloutOrder = "number";
  /** As drawn; a step of -1 = none. */
  #drawn = { lastStep: -1, lastEvaluation: -1, isLive: false };
  #successRewards: SuccessRewards | null = null;
  /** Summaries of the steps and evaluations that are unfolded, by {@link setName} and group. */
  readonly #summaries = new Map<string, ReadonlyMap<number, readonly RolloutSummary[]>>();

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(options: TrajectoriesViewOptions) {
    this.#options = options;
    this.#shownSteps = readSetting("trajectories.pageSize");
  }

  dispose(): void {
    this.#leave();
    this.#changes.dispose();
  }

  /** The folder of the run that is shown; null for none. */
  get folder(): string | null {
    return this.#run?.follower.folder ?? null;
  }

  get order(): RolloutOrder {
    return this.#order;
  }

  /** Shows another run, or none. */
  show(folder: string | null): void {
    if (folder === this.folder) return;
    this.#leave();
    this.#drawn = { lastStep: -1, lastEvaluation: -1, isLive: false };
    this.#shownSteps = readSetting("trajectories.pageSize");
    if (folder !== null) {
      const run = this.#options.feeds.follow(folder);
      this.#run = run;
      this.#listening = run.onDidChange((change) => {
        if (change.replaced) this.#successRewards = null;
        const hasChanged =
          change.replaced || change.fromRow !== null || change.evaluations.length > 0;
        if (hasChanged || this.#summaries.size > 0) this.#soon();
        else this.#compareSteps(run).catch(this.#options.onError);
      });
    }
    // Clears the rows at once: those of the previous run would be taken for rows of this one.
    this.#changes.fire(undefined);
  }

  setFilter(filter: TreeFilter | null): void {
    this.#filter = filter;
    this.#updateMessage("");
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

  /** The newest step's row, for *Follow Latest Step*; null without one. */
  async latest(): Promise<TrajectoryNode | null> {
    const steps = (await this.#run?.follower.steps()) ?? [];
    const step = steps.at(-1);
    return step === undefined ? null : this.#stepNode({ source: "training", step });
  }

  async getChildren(node?: TrajectoryNode): Promise<TrajectoryNode[]> {
    const run = this.#run;
    if (run === null) {
      this.#updateMessage("");
      return [];
    }
    switch (node?.kind) {
      case undefined:
        return this.#steps(run);
      case "step":
        return this.#groups(run, node);
      case "group":
        return this.#rollouts(run, node);
      default:
        return [];
    }
  }

  getParent(node: TrajectoryNode): TrajectoryNode | undefined {
    if (node.kind === "group") return this.#stepNode(node);
    if (node.kind === "rollout") return this.#groupNode(node, node.group);
    return undefined;
  }

  getTreeItem(node: TrajectoryNode): vscode.TreeItem {
    const item = this.#item(node);
    // Names of rows are the same in every run: a click must not fall on the row of the run before.
    item.id = keyOf(node);
    return item;
  }

  #item(node: TrajectoryNode): vscode.TreeItem {
    switch (node.kind) {
      case "more":
        return moreItem(node.count);
      case "step": {
        const follower = this.#run?.follower;
        if (follower === undefined) return new vscode.TreeItem("");
        const isLive = this.#options.isLive(node.folder);
        const text =
          node.source === "training"
            ? stepRow(node.step, follower.metrics, isLive)
            : evaluationRow(node.step, follower.evaluations, isLive);
        return foldedItem(text);
      }
      case "group": {
        const rollouts = this.#ofGroup(node);
        const text = groupRow(node.group, rollouts, this.#successRewardOf(rollouts[0]));
        return foldedItem(text);
      }
      case "rollout": {
        const summary = this.#ofGroup(node).find(({ rollout }) => rollout === node.rollout);
        if (summary === undefined) return new vscode.TreeItem(`#${node.rollout + 1}`);
        return rolloutItem(summary, this.#successRewardOf(summary));
      }
    }
  }

  /** A step that begins, and a trainer that was killed, add nothing to the files that are followed. */
  async #compareSteps({ follower }: FollowedRun): Promise<void> {
    const { lastStep, lastEvaluation, isLive } = this.#drawn;
    const isSame = isLive === this.#options.isLive(follower.folder);
    // While the step that is drawn last is in progress there is none after it: long runs have many files to list.
    if (isSame && lastStep > (follower.metrics.steps().at(-1) ?? -1)) return;
    const newest = (await follower.steps()).at(-1) ?? -1;
    const evaluated = (await follower.steps("evaluation")).at(-1) ?? -1;
    const hasChanged = !isSame || newest !== lastStep || evaluated !== lastEvaluation;
    if (hasChanged && follower === this.#run?.follower) this.#soon();
  }

  async #steps({ follower }: FollowedRun): Promise<TrajectoryNode[]> {
    // The follower has not read yet, so it does not know which steps are complete.
    if (follower.runFile === null) await follower.refresh();
    const played = await follower.steps();
    const evaluated = await follower.steps("evaluation");
    const known = newestSets(played, evaluated);
    this.#drawn = {
      lastStep: played.at(-1) ?? -1,
      lastEvaluation: evaluated.at(-1) ?? -1,
      isLive: this.#options.isLive(follower.folder),
    };
    this.#updateMessage(known.length > 0 ? "" : noStepsText(follower.runFile, this.#drawn.isLive));
    const shown = known.slice(0, this.#shownSteps).map((set) => this.#stepNode(set));
    const left = known.length - shown.length;
    return left > 0 ? [...shown, { kind: "more", count: left }] : shown;
  }

  #updateMessage(otherwise: string): void {
    const filter = this.#filter;
    const only = filter === null ? null : vscode.l10n.t("Only {0}", describeFilter(filter));
    this.#options.showMessage(only ?? otherwise);
  }

  async #groups(run: FollowedRun, node: StepNode): Promise<TrajectoryNode[]> {
    const groups = await this.#read(run, node);
    return [...groups]
      .filter(([, rollouts]) => rollouts.some((each) => isShown(each, this.#filter)))
      .map(([group]) => this.#groupNode(node, group));
  }

  async #read({ follower }: FollowedRun, set: RolloutSet) {
    const files = this.#options.fileSystem.within(follower.folder);
    const successRewards =
      this.#successRewards ?? (await readSuccessRewards(files, follower.folder));
    if (follower === this.#run?.follower) this.#successRewards = successRewards;
    const groups = groupBy(await follower.rollouts(set.step, set.source), ({ group }) => group);
    this.#summaries.set(setName(set), groups);
    return groups;
  }

  async #rollouts(run: FollowedRun, node: GroupNode): Promise<TrajectoryNode[]> {
    if (!this.#summaries.has(setName(node))) await this.#read(run, node);
    const shown = this.#ofGroup(node).filter((each) => isShown(each, this.#filter));
    return inOrder(shown, this.#order).map(({ rollout }) =>
      this.#node({ ...node, kind: "rollout", rollout }),
    );
  }

  #ofGroup(node: RolloutSet & Pick<GroupNode, "group">): readonly RolloutSummary[] {
    return this.#summaries.get(setName(node))?.get(node.group) ?? [];
  }

  #successRewardOf(rollout: RolloutSummary | undefined): number {
    return (this.#successRewards ?? usualSuccessReward)(rollout?.environment ?? "");
  }

  #stepNode({ source, step }: RolloutSet): TrajectoryNode {
    return this.#node({ kind: "step", folder: this.folder ?? "", source, step });
  }

  #groupNode({ source, step }: RolloutSet, group: number): TrajectoryNode {
    return this.#node({ kind: "group", folder: this.folder ?? "", source, step, group });
  }

  /** The same object for the same row: VS Code keeps what is unfolded by it. */
  #node(node: TrajectoryNode): TrajectoryNode {
    const key = keyOf(node);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    this.#nodes.set(key, node);
    return node;
  }

  #leave(): void {
    this.#listening?.dispose();
    this.#run?.dispose();
    this.#run = null;
    this.#successRewards = null;
    this.#nodes.clear();
    this.#summaries.clear();
    this.#soon.dispose();
  }

  readonly #soon = soon(REDRAW_MS, () => {
    this.#summaries.clear();
    this.#changes.fire(undefined);
  });
}

function rolloutItem(summary: RolloutSummary, successReward: number): vscode.TreeItem {
  const row = rolloutItemRow(summary, successReward);
  const { error } = summary;
  const reasons = [trainingUseText(summary), error === null ? null : plainLine(error)];
  const tooltip = [row.spoken, ...reasons].filter((line) => line !== null).join("\n");
  const title = vscode.l10n.t("Open Rollout");
  return treeItem({ ...row, tooltip, command: { command: "tinkerRL.openSelectedRollout", title } });
}

function moreItem(count: number): vscode.TreeItem {
  const label = vscode.l10n.t("Show More Steps");
  const description = vscode.l10n.t("{0} older", count);
  const command = { command: "tinkerRL.showMoreSteps", title: label };
  return treeItem({ label, description, icon: "ellipsis", command });
}

function foldedItem(row: RowText): vscode.TreeItem {
  return treeItem({ ...row, tooltip: row.spoken }, vscode.TreeItemCollapsibleState.Collapsed);
}

function keyOf(node: TrajectoryNode): string {
  return JSON.stringify(node);
}
