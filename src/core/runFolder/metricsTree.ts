/** The shape of a metrics row: nested objects in `metrics.jsonl`, flat names with `/` for trackers. */

import { isJsonObject } from "../json.ts";

export type MetricsLeaf = number | string | boolean | null;
export interface MetricsTree {
  readonly [name: string]: MetricsLeaf | MetricsTree;
}
/** The row of one step. */
export type MetricsRow = MetricsTree & { readonly step: number };

/** Of a flat name. Names of tools and environments are part of some. */
const MAX_NAME = 1_000;
/** Of one row. */
const MAX_NAMES = 20_000;

/** Joins nested names with `/`: `{rollout: {reward: {mean: 1}}}` gives `rollout/reward/mean`. Names too long or too many for any use are left out. */
export function flattenMetrics(tree: MetricsTree): Readonly<Record<string, MetricsLeaf>> {
  const flat: Record<string, MetricsLeaf> = {};
  let left = MAX_NAMES;
  const add = (branch: MetricsTree, prefix: string): void => {
    for (const name of Object.keys(branch)) {
      const value = branch[name];
      if (value === undefined || prefix.length + name.length > MAX_NAME) continue;
      if (left === 0) return;
      if (isBranch(value)) add(value, `${prefix}${name}/`);
      else {
        flat[`${prefix}${name}`] = value;
        left -= 1;
      }
    }
  };
  add(tree, "");
  return flat;
}

/** Numbers that JSON cannot hold become null, and `<name>_nonfinite: true` says so. */
export function replaceNonFinite(tree: MetricsTree): MetricsTree {
  const replaced: Record<string, MetricsLeaf | MetricsTree> = {};
  for (const [name, value] of Object.entries(tree)) {
    if (isBranch(value)) replaced[name] = replaceNonFinite(value);
    else if (typeof value === "number" && !Number.isFinite(value)) {
      replaced[name] = null;
      replaced[`${name}_nonfinite`] = true;
    } else replaced[name] = value;
  }
  return replaced;
}

/** Both trees as one; on equal names `extra` wins. */
export function mergeMetrics(base: MetricsTree, extra: MetricsTree): MetricsTree {
  const merged: Record<string, MetricsLeaf | MetricsTree> = { ...base };
  for (const [name, value] of Object.entries(extra)) {
    const present = merged[name];
    const isShared = present !== undefined && isBranch(present) && isBranch(value);
    merged[name] = isShared ? mergeMetrics(present, value) : value;
  }
  return merged;
}

function isBranch(value: MetricsLeaf | MetricsTree): value is MetricsTree {
  return isJsonObject(value);
}
