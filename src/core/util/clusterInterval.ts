/** The interval of a mean over values that come in groups, such as rollouts of one task, which are alike. */

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

/** Quantile of Student's t at 0.975 for 1 to 10 degrees of freedom, as tables give it. */
const FEW = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
/** The same quantile of the normal distribution. */
const NORMAL = 1.959964;

/** Beyond the table by the expansion in 1 / degrees (Abramowitz and Stegun 26.7.5), exact to 0.003. */
function t975(degrees: number): number {
  const known = FEW[degrees - 1];
  if (known !== undefined) return known;
  const z = NORMAL;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  return z + first / degrees + second / degrees ** 2;
}
