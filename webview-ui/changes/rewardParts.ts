/** Rewards per part of the tasks, one curve each: environments, splits, or thirds by difficulty. */

import * as l10n from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { BehaviorRow, RewardGrouping, RewardPart } from "../../src/shared/changes.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

/** One value per metrics row; NaN where no rollouts were read. */
export interface PartColumns {
  readonly name: string;
  readonly label: string;
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Zero where the step was read but had no rollouts of this part. */
  readonly rollouts: Float64Array;
}

interface ReadParts {
  readonly rows: readonly BehaviorRow[];
  /** Why there are no curves yet; empty when there are some. */
  readonly note: string;
}

const NONE: readonly BehaviorRow[] = [];
const text = strings.reward;

/** Has the host read the steps' rollouts while the chart is split into parts. */
export function useRewardParts(dashboard: DashboardModel): ReadParts {
  const { rewardBy } = dashboard.view.value;
  const steps = dashboard.data.rolloutSteps.value.length;
  const { behavior } = dashboard;
  const generation = dashboard.data.generation.value;
  useEffect(() => {
    if (rewardBy !== "all") behavior.ask({ ask: "behavior" }, steps);
  }, [behavior, rewardBy, generation, steps]);
  const answer = behavior.answer.value;
  if (rewardBy === "all" || answer === null) return { rows: NONE, note: "" };
  const rows = answer.isComplete ? answer.rows : NONE;
  if (answer.error !== null) return { rows, note: answer.error };
  if (partNames(rows, rewardBy).length > 0) return { rows, note: "" };
  return {
    rows,
    note: answer.isComplete
      ? l10n.t("All rollouts read so far are in one part.")
      : l10n.t("Reading rollouts, {0}%", Math.floor(answer.progress * 100)),
  };
}

/** `steps` holds the step of each metrics row. */
export function partColumns(
  rows: readonly BehaviorRow[],
  by: RewardGrouping,
  steps: Float64Array,
): readonly PartColumns[] {
  const rowAt = new Map(Array.from(steps, (step, row) => [step, row]));
  return partNames(rows, by).map((name) => {
    const column = (): Float64Array => new Float64Array(steps.length).fill(Number.NaN);
    const [mean, low, high, rollouts] = [column(), column(), column(), column()] as const;
    for (const { step, parts } of rows) {
      const part = partAt(parts, by, name);
      const at = rowAt.get(step);
      if (at === undefined) continue;
      mean[at] = part?.mean ?? Number.NaN;
      low[at] = part?.low ?? Number.NaN;
      high[at] = part?.high ?? Number.NaN;
      rollouts[at] = part?.rollouts ?? 0;
    }
    return { name, label: partLabel(by, name), mean, low, high, rollouts };
  });
}

/** Interpolates linearly over rows without a value, except across rows where `read` has a number: there the gap is real. */
export function joined(values: Float64Array, read?: Float64Array): Float64Array {
  const line = values.slice();
  let last = -1;
  for (const [row, value] of values.entries()) {
    if (Number.isNaN(value)) {
      if (Number.isFinite(read?.[row])) last = -1;
      continue;
    }
    const from = values[last] ?? value;
    if (last >= 0) {
      for (let at = last + 1; at < row; at += 1) {
        line[at] = from + ((value - from) * (at - last)) / (row - last);
      }
    }
    last = row;
  }
  return line;
}

/** Part names; empty if all rollouts of the run belong to one part. */
export function partNames(rows: readonly BehaviorRow[], by: RewardGrouping): readonly string[] {
  const own = rows.flatMap(({ parts }) => parts.filter((part) => part.by === by));
  const names = [...new Set(own.map(({ name }) => name))];
  return names.length < 2 ? [] : names;
}

export function partAt(
  parts: readonly RewardPart[],
  by: RewardGrouping,
  name: string,
): RewardPart | undefined {
  return parts.find((part) => part.by === by && part.name === name);
}

export function partLabel(by: RewardGrouping, name: string): string {
  return by === "difficulty" ? (text.difficulties[name] ?? name) : visibleLine(name);
}
