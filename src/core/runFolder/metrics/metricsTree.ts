/** The shape of a metrics row: nested objects in `metrics.jsonl`, flat names with `/` for trackers. */

import { isJsonObject } from "../../json.ts";

export type MetricsLeaf = number | string | boolean | null;
export interface MetricsTree {
  readonly [name: string]: MetricsLeaf | MetricsTree;
}
/** The row of one step. */
export type MetricsRow = MetricsTree & { readonly step: number };

/** The longest flat name. Names of tools and environments are part of some. */
const MAX_NAME = 1_000;
/** Limits the names of a row. */
const MAX_NAMES = 20_000;

/** Joins nested names with `/`: `{rollout: {reward: {mean: 1}}}` gives `rollout/reward/mean`. Names too long or too many for any use are left out. */
export function flattenMetrics(tree: MetricsTree): Readonly<Record<string, MetricsLeaf>> {
  const flat: Record<string, MetricsLeaf> = {};
  eachMetric(tree, new FlatNames(), (name, value) => {
    flat[name] = value;
  });
  return flat;
}

/** The number with a flat name, or null, without joining any other name of the row. */
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

/** Calls `take` for each metric of a row with its flat name. With the same `names` for all rows of a run each name is joined once. */
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

/** The flat names below a branch. */
export class FlatNames {
  readonly prefix: string;
  readonly #leaves = new Map<string, string>();
  readonly #branches = new Map<string, FlatNames>();
  /** How many more names are remembered, here and in all other branches. */
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
