/**
 * Successive halving (arXiv:1502.07943): all runs of a sweep train for a few steps, the better half of the settings goes on for as many steps
 * again, and so on. Nothing is trained twice, because a resumed run continues exactly.
 */

import { groupBy } from "../../shared/groupBy.ts";
import { rungText } from "../../shared/sweepText.ts";
import { mean } from "../util/stats.ts";
import { compareRuns } from "./comparedRuns.ts";
import { type Combination, combinationName } from "./planSweep.ts";
import type { Rung, SweepFile } from "./sweepFile.ts";
import type { SweepRow } from "./sweepRuns.ts";

/** The runs that go on, and the step at which they stop; null = at their end. */
export interface Heat {
  readonly rows: readonly SweepRow[];
  readonly stopAt: number | null;
}

/** What to train after `rungs`, beginning with `first` steps. */
export function nextHeat(rows: readonly SweepRow[], first: number, rungs: readonly Rung[]): Heat {
  const last = rungs.at(-1);
  const own = last === undefined ? rows : rows.filter((row) => isKept(row, last));
  const isDecided = bySettings(own).size === 1;
  return { rows: own, stopAt: isDecided ? null : last === undefined ? first : 2 * last.step };
}

/** The rows that are not dropped; all without `halve`. */
export function keptRows(
  rows: readonly SweepRow[],
  { halve, rungs }: Pick<SweepFile, "halve" | "rungs">,
): readonly SweepRow[] {
  return halve === null ? rows : nextHeat(rows, halve, rungs).rows;
}

/** True if the decisions so far leave the combination in. */
export function isKept({ combination }: Pick<SweepRow, "combination">, { kept }: Rung): boolean {
  return kept.includes(combination.index);
}

/** True when a heat's runs can be compared: each has reached `step`, or has ended for good. */
export function isReady(rows: readonly SweepRow[], step: number): boolean {
  return rows.every(
    ({ run }) =>
      run !== null && (run.steps >= step || run.phase === "done" || run.phase === "failed"),
  );
}

/**
 * Keeps the better half of the settings, rounded up, by the mean result of their seeds. Settings without a result come last; if none has
 * one, all are kept.
 */
export function decide(rows: readonly SweepRow[], step: number): Rung {
  const compared = rows.filter(({ run }) => run?.phase === "done" || (run?.steps ?? 0) >= step);
  const { by, results } = compareRuns(compared);
  const sign = by.kind === "heldOut" || by.kind === "now" ? -1 : 1;
  const groups = [...bySettings(rows).values()].map((own) => {
    const known = own.flatMap((row) => results[compared.indexOf(row)] ?? []);
    return { own, result: mean(known) };
  });
  const score = ({ result }: (typeof groups)[number]): number =>
    result === null ? Number.NEGATIVE_INFINITY : sign * result;
  const isKnown = groups.some(({ result }) => result !== null);
  const count = isKnown ? Math.ceil(groups.length / 2) : groups.length;
  const best = groups.toSorted((a, b) => score(b) - score(a) || 0).slice(0, count);
  const kept = best.flatMap(({ own }) => own.map(({ combination }) => combination.index));
  return { step, kept: kept.toSorted((a, b) => a - b) };
}

/** Which of the compared runs go on. */
export function describeRung(rung: Rung, rows: readonly SweepRow[]): string {
  const kept = rows.filter((row) => isKept(row, rung));
  const names = kept.map(({ combination }) => combinationName(combination));
  return rungText(rung.step, names, rows.length);
}

/** Rows with the same settings but for their seed. */
function bySettings(rows: readonly SweepRow[]): ReadonlyMap<string, readonly SweepRow[]> {
  return groupBy(rows, ({ combination }) => withoutSeed(combination));
}

function withoutSeed({ settings }: Pick<Combination, "settings">): string {
  return settings.filter((setting) => !setting.startsWith("seed=")).join("\n");
}
