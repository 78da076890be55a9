/** Handlers of the commands for trajectories. */

import * as vscode from "vscode";
import type { RolloutOrder, TreeFilter } from "../../api/trajectories.ts";
import { STOP_REASONS } from "../../core/runFolder/metrics/stopReasons.ts";
import type { RunDashboard } from "../dashboard/runDashboard.ts";
import { clickedRow } from "../views/clickedRow.ts";
import { type RolloutPlace, rolloutAt, rolloutUri } from "../views/rolloutDocuments.ts";
import type { SelectedRun } from "../views/selectedRun.ts";
import type { TrajectoriesView } from "../views/trajectoriesView.ts";
import type { Trees } from "../views/trees.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { offerInstead, showTrajectories } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";

export interface TrajectoryHandlerOptions {
  readonly trajectories: TrajectoriesView;
  readonly trees: Pick<Trees, "trajectories">;
  readonly dashboard: Pick<RunDashboard, "open">;
  readonly selectedRun: Pick<SelectedRun, "follow">;
}

const ORDERS: Readonly<Record<RolloutOrder, string>> = {
  number: vscode.l10n.t("Number"),
  reward: vscode.l10n.t("Reward, Highest First"),
  advantage: vscode.l10n.t("Advantage, Highest First"),
  tokens: vscode.l10n.t("Tokens, Most First"),
  turns: vscode.l10n.t("Turns, Most First"),
};

export function trajectoryHandlers(options: TrajectoryHandlerOptions) {
  const { trajectories, dashboard, selectedRun } = options;
  const { view } = options.trees.trajectories;
  const open = ({ folder, source, step, group, rollout }: RolloutPlace): void =>
    dashboard.open(folder, { target: { source, step, rollout: { group, rollout } } });
  const filterBy = async (filter: TreeFilter | null): Promise<void> => {
    trajectories.setFilter(filter);
    await setContextKey("trajectoryFilter", filter !== null);
  };
  const chosenPlace = (target: unknown): RolloutPlace | null =>
    rolloutAt(target === undefined ? view.selection[0] : target);
  const select = (): Promise<void> => {
    const text = vscode.l10n.t("Select a rollout in the Trajectories view first.");
    return offerInstead(text, [showTrajectories()]);
  };
  return {
    openRollout: (target) => {
      const place = chosenPlace(target);
      if (place === null) return select();
      open(place);
      return setContextKey("trajectoryOpened", true);
    },
    openSelectedRollout: async () => {
      const place = rolloutAt(await clickedRow(view));
      if (place !== null) open(place);
    },
    openRolloutJson: async (target) => {
      const place = chosenPlace(target);
      if (place === null) return select();
      const document = await vscode.workspace.openTextDocument(rolloutUri(place));
      await vscode.window.showTextDocument(document, { preview: true });
    },
    filterTrajectories: async () => {
      const filter = await askFilter();
      if (filter !== undefined) await filterBy(filter);
    },
    clearFilter: () => filterBy(null),
    sortTrajectories: async () => {
      const items = (Object.keys(ORDERS) as RolloutOrder[]).map((order) => ({
        label: ORDERS[order],
        description: order === trajectories.order ? vscode.l10n.t("now") : "",
        order,
      }));
      const picked = await plainWindow.showQuickPick(items, {
        placeHolder: vscode.l10n.t("Sort order of the rollouts in a group"),
      });
      if (picked !== undefined) trajectories.setOrder(picked.order);
    },
    followLatest: async () => {
      await setContextKey("followLatest", true);
      selectedRun.follow(true);
    },
    stopFollowing: async () => {
      await setContextKey("followLatest", false);
      selectedRun.follow(false);
    },
    showMoreSteps: () => trajectories.showMore(),
  } satisfies Partial<CommandHandlers>;
}

async function askFilter(): Promise<TreeFilter | undefined> {
  const items: readonly (vscode.QuickPickItem & {
    readonly ask: () => Promise<TreeFilter | undefined>;
  })[] = [
    { label: vscode.l10n.t("Reward Between…"), ask: askReward },
    { label: vscode.l10n.t("End of the Rollout…"), ask: askStop },
    { label: vscode.l10n.t("Failed Tool Calls"), ask: async () => ({ kind: "tool errors" }) },
    { label: vscode.l10n.t("Failed Rollouts"), ask: async () => ({ kind: "failed" }) },
    { label: vscode.l10n.t("Not Trained On"), ask: async () => ({ kind: "excluded" }) },
  ];
  const picked = await plainWindow.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Which rollouts should be shown?"),
  });
  return picked?.ask();
}

async function askReward(): Promise<TreeFilter | undefined> {
  const text = await plainWindow.showInputBox({
    prompt: vscode.l10n.t("Lowest and highest reward, for example: 0 0.5"),
    validateInput: (value) =>
      rangeOf(value) === null
        ? vscode.l10n.t("Enter two numbers, the lower one first.")
        : undefined,
  });
  const range = text === undefined ? null : rangeOf(text);
  return range === null ? undefined : { kind: "reward", from: range[0], to: range[1] };
}

function rangeOf(text: string): readonly [number, number] | null {
  const [from, to, ...more] = text
    .trim()
    .split(/[\s,…]+/)
    .map(Number);
  if (from === undefined || to === undefined || more.length > 0) return null;
  return Number.isFinite(to - from) && from <= to ? [from, to] : null;
}

async function askStop(): Promise<TreeFilter | undefined> {
  const items = STOP_REASONS.map((stop) => ({ label: stop, stop }));
  const picked = await plainWindow.showQuickPick(items, {
    placeHolder: vscode.l10n.t("How did the rollout end?"),
  });
  return picked && { kind: "stop", stop: picked.stop };
}
