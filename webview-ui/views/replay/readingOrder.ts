/** Navigation between rollouts in list order. */

import { useEffect, useMemo } from "preact/hooks";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";

export interface ReadingOrder {
  /** Position of the open rollout in the list, from 0; -1 if the filters hide it. */
  readonly at: number;
  readonly count: number;
  /** Opens the next or previous rollout; from an unlisted one, the first. */
  go(direction: 1 | -1): void;
}

/** Delay before neighbors are prefetched, so that the open rollout loads first. */
const PREFETCH_MS = 30;

export function useReadingOrder(
  dashboard: DashboardModel,
  rows: readonly RolloutRow[],
): ReadingOrder {
  const { rollout } = dashboard.view.value;
  const at =
    rollout === null
      ? -1
      : rows.findIndex((row) => row.group === rollout.group && row.rollout === rollout.rollout);
  useEffect(() => {
    if (at < 0) return;
    const timer = setTimeout(() => {
      for (const row of [rows[at - 1], rows[at + 1]]) {
        if (row !== undefined) dashboard.bodies.request(row);
      }
    }, PREFETCH_MS);
    return () => clearTimeout(timer);
  }, [dashboard, rows, at]);
  return useMemo(
    () => ({
      at,
      count: rows.length,
      go: (direction) => {
        const next = at < 0 ? rows[0] : rows[at + direction];
        if (next === undefined) return;
        const { source, step, group, rollout: position } = next;
        dashboard.update({ rolloutSet: { source, step }, rollout: { group, rollout: position } });
      },
    }),
    [dashboard, rows, at],
  );
}
