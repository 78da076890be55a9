/** A step's rollouts by group; all rollouts of a group share a task. */

import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { groupBy } from "../../../src/shared/groupBy.ts";
import type { RolloutPosition } from "../../../src/shared/rolloutSet.ts";

export interface GroupStats {
  /** Rollouts of the group, and how many of them have a reward. */
  readonly size: number;
  readonly scored: number;
  /** Mean reward; null if there are none. */
  readonly mean: number | null;
  /** Sample standard deviation of the rewards; null below two. */
  readonly spread: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export type TableLine =
  | { readonly kind: "rollout"; readonly row: RolloutRow }
  | {
      readonly kind: "group";
      /** Any rollout of the group. */
      readonly row: RolloutRow;
      /** Number of rollouts that pass the filters. */
      readonly shown: number;
      readonly isOpen: boolean;
    };

/** Identifies a rollout within its step. */
export function rolloutName({ group, rollout }: RolloutPosition): string {
  return `${group}/${rollout}`;
}

/** The name that is shown, with group and position in the group from 1: `3.5`. */
export function formatRolloutName({ group, rollout }: RolloutPosition): string {
  return `${group + 1}.${rollout + 1}`;
}

/** Statistics by group number. */
export function groupStats(rows: readonly RolloutRow[]): ReadonlyMap<number, GroupStats> {
  return new Map([...byGroup(rows)].map(([group, members]) => [group, statsOf(members)]));
}

/** Groups in the order of their first rollouts. */
export function byGroup(rows: readonly RolloutRow[]): ReadonlyMap<number, readonly RolloutRow[]> {
  return groupBy(rows, ({ group }) => group);
}

function statsOf(members: readonly RolloutRow[]): GroupStats {
  const rewards = members.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const scored = rewards.length;
  if (scored === 0)
    return { size: members.length, scored, mean: null, spread: null, low: null, high: null };
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / scored;
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  return {
    size: members.length,
    scored,
    mean,
    spread: scored < 2 ? null : Math.sqrt(squares / (scored - 1)),
    low: Math.min(...rewards),
    high: Math.max(...rewards),
  };
}

/** The first rollout with the highest or lowest reward; null if none has one. */
export function extremeOf(
  members: readonly RolloutRow[],
  which: "best" | "worst",
): RolloutRow | null {
  const scored = members.filter(({ reward }) => reward !== null);
  const direction = which === "best" ? 1 : -1;
  return scored.reduce<RolloutRow | null>((found, row) => {
    const isFurther = direction * ((row.reward ?? 0) - (found?.reward ?? 0)) > 0;
    return found === null || isFurther ? row : found;
  }, null);
}

/** The lines of the list from top to bottom; a group is placed at its first rollout. */
export function tableLines(
  rows: readonly RolloutRow[],
  isGrouped: boolean,
  closedGroups: readonly number[],
): readonly TableLine[] {
  if (!isGrouped) return rows.map((row) => ({ kind: "rollout", row }));
  return [...byGroup(rows)].flatMap(([group, members]): readonly TableLine[] => {
    const [row] = members;
    if (row === undefined) return [];
    const isOpen = !closedGroups.includes(group);
    const head: TableLine = { kind: "group", row, shown: members.length, isOpen };
    return isOpen
      ? [head, ...members.map((each): TableLine => ({ kind: "rollout", row: each }))]
      : [head];
  });
}
