/** One result out of the results of a batch's chunks. */

import type { ForwardBackwardResult } from "./forwardBackwardProto.ts";

type Metrics = Readonly<Record<string, number>>;

/**
 * Outputs in chunk order; metrics that all chunks report, reduced as the suffix of their name says
 * (`docs/protocols/tinker.md#metrics`). A name without a known suffix stays when there is one result, and is dropped when there are more.
 */
export function combineResults(results: readonly ForwardBackwardResult[]): ForwardBackwardResult {
  const weights = results.map((result) => result.outputs.length);
  const metrics: Record<string, number> = {};
  for (const name of Object.keys(results[0]?.metrics ?? {})) {
    const values = results.map((result) => result.metrics[name]);
    if (!values.every((value) => value !== undefined)) continue;
    Object.assign(metrics, reduceMetric(name, values, weights));
  }
  return { outputs: results.flatMap((result) => result.outputs), metrics };
}

function reduceMetric(
  name: string,
  values: readonly number[],
  weights: readonly number[],
): Metrics {
  const parts = name.split(":");
  switch (parts.length === 2 ? parts[1] : undefined) {
    case "sum":
      return { [name]: values.reduce((sum, value) => sum + value, 0) };
    case "min":
      return { [name]: Math.min(...values) };
    case "max":
      return { [name]: Math.max(...values) };
    case "mean":
      return withMean(values, weights, (mean) => ({ [name]: mean }));
    case "slack":
      return withMean(values, weights, (mean) => ({ [name]: Math.max(...values) - mean }));
    case "unique":
      return Object.fromEntries(
        values.map((value, index) => [index === 0 ? name : `${name}_${index}`, value]),
      );
    case "hash2":
      return { [name]: Number(BigInt.asUintN(64, values.reduce(addInteger, 0n))) };
    default:
      return values.length === 1 && values[0] !== undefined ? { [name]: values[0] } : {};
  }
}

/** The mean over all datums; nothing when there is none to weigh. */
function withMean(
  values: readonly number[],
  weights: readonly number[],
  use: (mean: number) => Metrics,
): Metrics {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return {};
  const weighted = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
  return use(weighted / total);
}

function addInteger(sum: bigint, value: number): bigint {
  return sum + BigInt(Math.trunc(value));
}
