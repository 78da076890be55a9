/** The shape of a metrics row: nested objects in `metrics.jsonl`, flat names with `/` for trackers. */

import { isJsonObject } from "../../json.ts";

export type MetricsLeaf = number | string | boolean | null;
export interface MetricsTree {
  readonly [name: string]: MetricsLeaf | MetricsTree;
}
/** The row of one step. */
export type MetricsRow = MetricsTree & { readonly step: number };

/** The longest flat name. Some names contain tool or environment names. */
const MAX_NAME = 1_000;
/** Limits the number of names per row. */
const MAX_NAMES = 20_000;

/** Joins nested names with `/`: `{rollout: {reward: {mean: 1}}}` becomes `rollout/reward/mean`. Drops names beyond the limits. */
export function flattenMetrics(tree: MetricsTree): Readonly<Record<string, MetricsLeaf>> {
  const flat: Record<string, MetricsLeaf> = {};
  eachMetric(tree, new FlatNames(), (name, value) => {
    flat[name] = value;
  });
  return flat;
}

/** Looks up a number by flat name without flattening the row; null if there is none. */
export function metricAt(tree: MetricsTree, name: string): number | null {
  let branch = tree;
  let rest = name;
  for (;;) {
    const found = Object.hasOwn(branch, rest) ? branch[rest] : undefined;
    if (found !== undefined) return typeof found === "number" ? found : null;
    const end = rest.indexOf("/");
    const first = rest.slice(0, end);
    const next = end >= 0 && Object.hasOwn(branch, first) ? branch[first] : undefined;
    if (next === undefined || !isBranch(next)) return null;
    branch = next;
    rest = rest.slice(end + 1);
  }
}

/** Seconds that a run has taken as of a row, given those as of the previous row: rows of the Python program only have their step's. */
export function elapsedSeconds(row: MetricsTree, before: number): number {
  return metricAt(row, "progress/elapsed_s") ?? before + (metricAt(row, "time/total_s") ?? 0);
}

/** Calls `take` for each metric of a row. Sharing `names` between a run's rows joins each name only once. */
export function eachMetric(
  tree: MetricsTree,
  names: FlatNames,
  take: (name: string, value: MetricsLeaf) => void,
): void {
  let left = MAX_NAMES;
  const visit = (branch: MetricsTree, own: FlatNames): void => {
    for (const name of Object.keys(branch)) {
      const value = branch[name];
      if (value === undefined || own.prefix.length + name.length > MAX_NAME) continue;
      if (left === 0) return;
      if (isBranch(value)) visit(value, own.below(name));
      else {
        take(own.join(name), value);
        left -= 1;
      }
    }
  };
  visit(tree, names);
}

/** Cache of the flat names below a branch. */
export class FlatNames {
  readonly prefix: string;
  readonly #leaves = new Map<string, string>();
  readonly #branches = new Map<string, FlatNames>();
  /** How many more names may be cached, shared by all branches. */
  readonly #room: { left: number };

  constructor(prefix = "", room = { left: MAX_NAMES }) {
    this.prefix = prefix;
    this.#room = room;
  }

  join(name: string): string {
    return this.#leaves.get(name) ?? this.#keep(this.#leaves, name, this.prefix + name);
  }

  below(name: string): FlatNames {
    const found = this.#branches.get(name);
    if (found !== undefined) return found;
    const made = new FlatNames(`${this.prefix}${name}/`, this.#room);
    return this.#keep(this.#branches, name, made);
  }

  #keep<Value>(into: Map<string, Value>, name: string, value: Value): Value {
    if (this.#room.left > 0) {
      this.#room.left -= 1;
      into.set(name, value);
    }
    return value;
  }
}

/** Non-finite numbers, which JSON cannot represent, become null plus `<name>_nonfinite: true`. */
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

/** Merges both trees; `extra` wins on equal names. */
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
