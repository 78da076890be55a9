/** The interval of a mean over values that come in groups, such as rollouts of one task, which are alike. */

import { t975 } from "../../shared/studentT.ts";
import { mean, summarize } from "./stats.ts";

export interface ClusterInterval {
  /** Bounds of the 95 % interval of the mean over all values. */
  readonly low: number;
  readonly high: number;
  /** Sample standard deviation of the means of the groups. */
  readonly groupStd: number;
}

/**
 * Cluster-robust interval of the mean of all values: m ± t(G - 1) · SE with SE² = G / (G - 1) · Σ_g (Σ_i (x_gi - m))² / N², for G groups
 * and N values (Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", 2015). Null below two groups with values.
 */
export function clusterInterval(groups: Iterable<readonly number[]>): ClusterInterval | null {
  const filled = [...groups].filter(({ length }) => length > 0);
  const all = filled.flat();
  const centre = mean(all);
  const { std: groupStd } = summarize(filled.map((values) => mean(values) ?? 0));
  if (centre === null || groupStd === null) return null;
  const squares = filled.map(
    (values) => values.reduce((total, value) => total + value - centre, 0) ** 2,
  );
  const variance = squares.reduce((total, square) => total + square, 0) / all.length ** 2;
  const count = filled.length;
  const reach = t975(count - 1) * Math.sqrt((variance * count) / (count - 1));
  return { low: centre - reach, high: centre + reach, groupStd };
}
