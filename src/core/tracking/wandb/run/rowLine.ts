/** A row of metrics as a line of the run's log. */

import { formatQuantity, formatReward } from "../../../../shared/format.ts";
import { flattenMetrics, type MetricsRow } from "../../../runFolder/metrics/metricsTree.ts";
import { isEndRow } from "../../../runFolder/reader.ts";

/** The step, counted from 1, and its headline numbers as far as there are any. */
export function rowLine(row: MetricsRow): string {
  if (isEndRow(row)) return `evaluation after ${formatQuantity(row.step, "step")}`;
  const flat = flattenMetrics(row);
  const parts: string[] = [`step ${row.step + 1}`];
  const add = (label: string, name: string, shown: (value: number) => string): void => {
    const value = flat[name];
    if (typeof value === "number") parts.push(`${label} ${shown(value)}`);
  };
  add("reward", "rollout/reward/mean", formatReward);
  add("loss", "loss", (value) => value.toPrecision(4));
  add("rollouts", "rollout/reward/count", String);
  add("seconds", "time/total_s", (value) => value.toFixed(1));
  return parts.join("  ");
}
