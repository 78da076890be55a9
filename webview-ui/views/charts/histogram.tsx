/** Distribution of the rewards in the chosen step; a bar opens its rollouts. */

import * as l10n from "@vscode/l10n";
import { formatExact, plural } from "../../../src/shared/format.ts";
import { groupBy } from "../../../src/shared/groupBy.ts";
import { Button } from "../../controls/button.tsx";
import { setTitle } from "../../controls/setTitle.ts";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { NO_FILTER } from "../../model/viewState.ts";

export function Histogram({ dashboard }: DashboardProps) {
  const shown = dashboard.selection.rollouts.value;
  if (shown === null) return null;
  const rewards = shown.rows.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const failed = shown.rows.length - rewards.length;
  const bins = histogram(rewards);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const open = ({ low, high }: Bin): void => {
    dashboard.update({ filter: { ...NO_FILTER, rewardLow: low, rewardHigh: high } });
    dashboard.openRollouts(shown);
  };
  return (
    <section class="card histogram stack" aria-labelledby="histogram-title">
      <div class="card-head wrap">
        <h2 id="histogram-title">{l10n.t("Rewards: {0}", setTitle(shown))}</h2>
        {dashboard.view.value.rolloutSet === null ? null : (
          <Button
            class="quiet"
            label={l10n.t("Follow latest")}
            onClick={() => dashboard.update({ rolloutSet: null, rollout: null })}
          />
        )}
      </div>
      {shown.rows.length === 0 ? <p class="no-data">{l10n.t("No rollouts read yet")}</p> : null}
      {bins.length === 0 ? null : (
        <ol class="bars">
          {bins.map((bin, index) => (
            // The key holds position, count, and bound, so that no element is reused for a different bin.
            <li key={`${index} ${bins.length} ${bin.low}`}>
              <button
                type="button"
                title={l10n.t("Choose a bar to see its rollouts")}
                onClick={() => open(bin)}
              >
                <span class="visually-hidden">{barText(bin)}</span>
                <span class="bar-area stack" aria-hidden="true">
                  <span class="bar" style={{ height: `${Math.max(1, (bin.count / most) * 100)}%` }}>
                    <span class="bar-count" key={bin.count}>
                      {bin.count}
                    </span>
                  </span>
                </span>
                <span class="bar-label" aria-hidden="true">
                  {shortReward(bin)}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      <p class="note">
        {failed === 0
          ? ""
          : plural(
              failed,
              "{0} rollout failed and has no reward",
              "{0} rollouts failed and have no reward",
            )}
      </p>
    </section>
  );
}

function barText({ low, high, count }: Bin): string {
  return low === high
    ? plural(count, "{0} rollout with reward {1}", "{0} rollouts with reward {1}", formatExact(low))
    : plural(
        count,
        "{0} rollout with reward {1} to {2}",
        "{0} rollouts with reward {1} to {2}",
        formatExact(low),
        formatExact(high),
      );
}

function shortReward({ center }: Bin): string {
  return String(Number(center.toFixed(2)));
}

interface Bin {
  /** Smallest and largest value inside, both inclusive; an empty bin has its center twice. */
  readonly low: number;
  readonly high: number;
  readonly center: number;
  readonly count: number;
}

/** Values that agree in this many significant digits share a bin. */
const DIGITS = 9;

/** One bin per value if there are at most `maxBins` distinct ones, otherwise equal parts of the range. Ascending. */
export function histogram(values: readonly number[], maxBins = 12): readonly Bin[] {
  const counts = new Map<number, number>();
  for (const value of values) {
    const rounded = Number(value.toPrecision(DIGITS));
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => a - b);
  if (sorted.length <= maxBins) {
    return sorted.map(([low, count]) => ({ low, high: low, center: low, count }));
  }
  const first = sorted[0]?.[0] ?? 0;
  const width = ((sorted.at(-1)?.[0] ?? 1) - first) / maxBins;
  const binOf = (value: number): number =>
    Math.min(maxBins - 1, Math.floor((value - first) / width));
  const members = groupBy(sorted, ([value]) => binOf(value));
  return Array.from({ length: maxBins }, (_, index) => {
    const inside = members.get(index) ?? [];
    const center = first + (index + 0.5) * width;
    const low = inside[0]?.[0] ?? center;
    const high = inside.at(-1)?.[0] ?? center;
    return { low, high, center, count: inside.reduce((sum, [, count]) => sum + count, 0) };
  });
}
